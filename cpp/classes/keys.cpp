#include "classes/keys.h"

#include <algorithm>

namespace crediblenet {
namespace {

// The finalizer of splitmix64: a bijection that mixes all bits.
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

} // namespace

template <std::size_t W>
void skeleton(std::span<const NodeSet<W>> parents, std::span<NodeSet<W>> out) {
    std::copy(parents.begin(), parents.end(), out.begin());
    for (std::size_t y = 0; y < parents.size(); ++y)
        parents[y].for_each([&](std::size_t x) { out[x].insert(y); });
}

template <std::size_t W>
void normal_form(std::span<const NodeSet<W>> parents, Sameness sameness,
                 std::vector<NodeSet<W>>& form) {
    const auto n = parents.size();
    form.assign(sameness == Sameness::skeleton ? n : 2 * n, {});
    const auto first = std::span(form).first(n);
    const auto second = std::span(form).subspan(n);
    switch (sameness) {
    case Sameness::markov_class:
        compelled_parents<W>(parents, first);
        for (std::size_t y = 0; y < n; ++y) {
            const auto reversible = parents[y] - first[y];
            second[y] |= reversible;
            reversible.for_each([&](std::size_t x) { second[x].insert(y); });
        }
        break;
    case Sameness::collider_pattern:
        skeleton<W>(parents, first);
        for (std::size_t y = 0; y < n; ++y)
            if (parents[y].size() > 1) second[y] = parents[y];
        break;
    case Sameness::skeleton: skeleton<W>(parents, first); break;
    }
}

template <std::size_t W> FormHash hash_form(std::span<const NodeSet<W>> form, std::size_t words) {
    FormHash hash{0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u};
    for (const auto& set : form)
        for (std::size_t w = 0; w < words; ++w) {
            hash[0] = mix(hash[0] + set.word[w]);
            hash[1] = mix((hash[1] ^ set.word[w]) * 0xff51afd7ed558ccdu);
        }
    return hash;
}

#define CREDIBLENET_INSTANTIATE(W)                                                                 \
    template void skeleton(std::span<const NodeSet<W>>, std::span<NodeSet<W>>);                    \
    template void normal_form(std::span<const NodeSet<W>>, Sameness, std::vector<NodeSet<W>>&);    \
    template FormHash hash_form(std::span<const NodeSet<W>>, std::size_t);
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
