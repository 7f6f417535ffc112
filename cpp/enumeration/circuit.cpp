#include "enumeration/circuit.h"

#include <algorithm>
#include <stdexcept>

namespace crediblenet {

namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
    h ^= value + 0x9e3779b97f4a7c15u;
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 29);
}

} // namespace

CircuitNode Circuit::share(Kind kind, std::vector<CircuitNode>&& children) {
    auto h = mix(0, static_cast<std::uint64_t>(kind));
    for (auto child : children) h = mix(h, child);
    const auto known = shared_.find(h, [&](CircuitNode node) {
        if (kind_[node] != kind) return false;
        return kind == Kind::leaf ? first_[node] == children[0]
                                  : std::ranges::equal(this->children(node), children);
    });
    if (known != NumberIndex::none) return known;
    const auto node = static_cast<CircuitNode>(kind_.size());
    kind_.push_back(kind);
    if (kind == Kind::leaf) {
        first_.push_back(children[0]);
        count_.push_back(0);
    } else {
        first_.push_back(children_.size());
        count_.push_back(static_cast<std::uint32_t>(children.size()));
        children_.insert(children_.end(), children.begin(), children.end());
    }
    shared_.add(h, node);
    return node;
}

CircuitNode Circuit::leaf(std::uint32_t row) { return share(Kind::leaf, {row}); }

CircuitNode Circuit::choice(std::vector<CircuitNode> children) {
    if (children.size() == 1) return children[0];
    std::sort(children.begin(), children.end());
    return share(Kind::choice, std::move(children));
}

CircuitNode Circuit::product(const std::vector<CircuitNode>& children) {
    std::vector<CircuitNode> flat;
    for (auto child : children) {
        if (kind_[child] == Kind::product) {
            const auto inner = this->children(child);
            flat.insert(flat.end(), inner.begin(), inner.end());
        } else {
            flat.push_back(child);
        }
    }
    if (flat.size() == 1) return flat[0];
    std::sort(flat.begin(), flat.end());
    return share(Kind::product, std::move(flat));
}

CircuitNode Circuit::absorb(const Circuit& other, CircuitNode root) {
    std::vector<char> reached(root + 1, 0);
    reached[root] = 1;
    for (CircuitNode node = root + 1; node-- > 0;)
        if (reached[node] && other.kind(node) != Kind::leaf)
            for (auto child : other.children(node)) reached[child] = 1;
    std::vector<CircuitNode> number(root + 1, 0);
    std::vector<CircuitNode> children;
    for (CircuitNode node = 0; node <= root; ++node) {
        if (!reached[node]) continue;
        if (other.kind(node) == Kind::leaf) {
            number[node] = leaf(other.row(node));
            continue;
        }
        children.clear();
        for (auto child : other.children(node)) children.push_back(number[child]);
        number[node] = other.kind(node) == Kind::choice ? choice(children) : product(children);
    }
    return number[root];
}

CircuitNodes Circuit::nodes_from(CircuitNode start) const {
    CircuitNodes nodes;
    for (auto node = start; node < size(); ++node) {
        nodes.kind.push_back(static_cast<std::uint8_t>(kind_[node]));
        if (kind_[node] == Kind::leaf) {
            nodes.count.push_back(1);
            nodes.values.push_back(row(node));
            continue;
        }
        nodes.count.push_back(count_[node]);
        const auto below = children(node);
        nodes.values.insert(nodes.values.end(), below.begin(), below.end());
    }
    return nodes;
}

void Circuit::append(const CircuitNodes& nodes) {
    const auto damaged = [] { throw std::invalid_argument("these are no nodes of this circuit"); };
    if (nodes.kind.size() != nodes.count.size()) damaged();
    std::size_t at = 0;
    for (std::size_t k = 0; k < nodes.kind.size(); ++k) {
        const auto count = nodes.count[k];
        if (nodes.kind[k] > static_cast<std::uint8_t>(Kind::product) || count == 0 ||
            count > nodes.values.size() - at)
            damaged();
        std::vector<CircuitNode> values(nodes.values.begin() + static_cast<std::ptrdiff_t>(at),
                                        nodes.values.begin() +
                                            static_cast<std::ptrdiff_t>(at + count));
        at += count;
        const auto kind = static_cast<Kind>(nodes.kind[k]);
        const auto expected = static_cast<CircuitNode>(size());
        if (kind == Kind::leaf) {
            if (count != 1 || leaf(values[0]) != expected) damaged();
            continue;
        }
        // Any other order or a shared node would change the numbers of those that follow.
        for (const auto child : values)
            if (child >= expected || (kind == Kind::product && kind_[child] == kind)) damaged();
        if (count < 2 || !std::is_sorted(values.begin(), values.end())) damaged();
        if (share(kind, std::move(values)) != expected) damaged();
    }
    if (at != nodes.values.size()) damaged();
}

} // namespace crediblenet
