#include "classes/class_counter.h"

#include <limits>

namespace crediblenet {
namespace {

enum class Shape { tree, clique, other };

template <std::size_t W>
Shape shape_of(std::span<const NodeSet<W>> undirected, const NodeSet<W>& component) {
    const auto nodes = component.size();
    std::size_t ends = 0;
    component.for_each([&](std::size_t node) { ends += undirected[node].size(); });
    if (ends == 2 * (nodes - 1)) return Shape::tree;
    if (ends == nodes * (nodes - 1)) return Shape::clique;
    return Shape::other;
}

// A product that leaves 64 bits only when it must.
class Product {
  public:
    void multiply(std::uint64_t factor) {
        if (small_ > std::numeric_limits<std::uint64_t>::max() / factor) {
            large_ *= BigUint(small_);
            small_ = 1;
        }
        small_ *= factor;
    }
    void multiply(const BigUint& factor) {
        if (factor.fits_uint64())
            multiply(factor.low_bits());
        else
            large_ *= factor;
    }
    [[nodiscard]] BigUint value() const { return large_ * BigUint(small_); }

  private:
    std::uint64_t small_ = 1;
    BigUint large_ = 1;
};

// In an AMO of a tree a -> b iff the source is on the side of a.
template <std::size_t W>
std::size_t side_of(std::span<const NodeSet<W>> undirected, NodeSet<W> tree, std::size_t a,
                    std::size_t b) {
    tree.erase(b);
    return reach(undirected, tree, a).component.size();
}

} // namespace

template <std::size_t V, std::size_t W>
ClassCounter::Solved<V>& ClassCounter::solved(std::span<const NodeSet<W>> undirected,
                                              const NodeSet<W>& component) {
    constexpr std::size_t most_bytes = std::size_t{64} << 20;
    auto& cache = std::get<Cache<V>>(caches_);
    auto graph = relabelled<V>(undirected, component);
    if (const auto known = cache.find(graph); known != cache.end()) return known->second;
    Solved<V> fresh{CliquePicking<V>(graph), {}};
    const auto bytes = fresh.orientations.memory() + graph.size() * graph.size() * sizeof(double);
    if (kept_ + bytes > most_bytes) { // forget: results never depend on what is remembered
        std::apply([](auto&... each) { (each.clear(), ...); }, caches_);
        kept_ = 0;
    }
    kept_ += bytes;
    return cache.emplace(std::move(graph), std::move(fresh)).first->second;
}

template <std::size_t W> BigUint ClassCounter::size(std::span<const NodeSet<W>> undirected) {
    Product product;
    for (const auto& component : chain_components(undirected)) {
        const auto nodes = component.size();
        switch (shape_of(undirected, component)) {
        case Shape::tree: product.multiply(nodes); break;
        case Shape::clique:
            for (std::size_t k = 2; k <= nodes; ++k) product.multiply(k);
            break;
        case Shape::other:
            with_width(nodes, [&](auto width) {
                product.multiply(solved<width>(undirected, component).orientations.count());
            });
        }
    }
    return product.value();
}

template <std::size_t W>
void ClassCounter::orientation_shares(std::span<const NodeSet<W>> undirected,
                                      std::span<double> share) {
    const auto n = undirected.size();
    for (const auto& component : chain_components(undirected)) {
        const auto nodes = component.size();
        const auto shape = shape_of(undirected, component);
        auto for_each_edge = [&](auto&& share_of) {
            component.for_each([&](std::size_t a) {
                undirected[a].for_each([&](std::size_t b) { share[a * n + b] = share_of(a, b); });
            });
        };
        if (shape == Shape::clique) {
            for_each_edge([](std::size_t, std::size_t) { return 0.5; });
        } else if (shape == Shape::tree) {
            for_each_edge([&](std::size_t a, std::size_t b) {
                return static_cast<double>(side_of(undirected, component, a, b)) /
                       static_cast<double>(nodes);
            });
        } else {
            with_width(nodes, [&](auto width) {
                auto& [orientations, shares] = solved<width>(undirected, component);
                if (shares.empty())
                    for (const auto& count : orientations.edge_counts())
                        shares.push_back(BigUint::ratio(count, orientations.count()));
                const auto& known = shares;
                for_each_edge([&](std::size_t a, std::size_t b) {
                    return known[component.rank(a) * nodes + component.rank(b)];
                });
            });
        }
    }
}

template <std::size_t W>
void ClassCounter::sample(std::span<const NodeSet<W>> undirected, std::mt19937_64& random,
                          std::vector<NodeSet<W>>& parents) {
    for (const auto& component : chain_components(undirected)) {
        std::vector<std::size_t> nodes;
        component.for_each([&](std::size_t node) { nodes.push_back(node); });
        with_width(nodes.size(), [&](auto width) {
            std::vector<NodeSet<width>> arcs(nodes.size());
            solved<width>(undirected, component).orientations.sample(random, arcs);
            for (std::size_t y = 0; y < nodes.size(); ++y)
                arcs[y].for_each([&](std::size_t x) { parents[nodes[y]].insert(nodes[x]); });
        });
    }
}

template <std::size_t W>
std::vector<BigUint> orientation_counts(std::span<const NodeSet<W>> undirected) {
    const auto n = undirected.size();
    const auto components = chain_components(undirected);
    // Products over all components but one, from products of those before and after.
    std::vector<std::vector<BigUint>> counts;
    std::vector<BigUint> sizes, after{1};
    for (const auto& component : components)
        with_width(component.size(), [&](auto width) {
            const CliquePicking<width> orientations(relabelled<width>(undirected, component));
            counts.push_back(orientations.edge_counts());
            sizes.push_back(orientations.count());
        });
    for (std::size_t i = components.size(); i-- > 1;) after.push_back(after.back() * sizes[i]);
    std::vector<BigUint> result(n * n);
    BigUint before = 1;
    for (std::size_t i = 0; i < components.size(); ++i) {
        const auto others = before * after[components.size() - 1 - i];
        const auto k = components[i].size();
        components[i].for_each([&](std::size_t a) {
            undirected[a].for_each([&](std::size_t b) {
                result[a * n + b] =
                    counts[i][components[i].rank(a) * k + components[i].rank(b)] * others;
            });
        });
        before *= sizes[i];
    }
    return result;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template BigUint ClassCounter::size(std::span<const NodeSet<W>>);                              \
    template void ClassCounter::orientation_shares(std::span<const NodeSet<W>>,                    \
                                                   std::span<double>);                             \
    template void ClassCounter::sample(std::span<const NodeSet<W>>, std::mt19937_64&,              \
                                       std::vector<NodeSet<W>>&);                                  \
    template std::vector<BigUint> orientation_counts(std::span<const NodeSet<W>>);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
