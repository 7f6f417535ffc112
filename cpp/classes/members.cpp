#include "classes/members.h"

#include "classes/chordal.h"

namespace crediblenet {

template <std::size_t W>
MemberLister<W>::MemberLister(const Cpdag<W>& graph)
    : undirected_(graph.undirected), parents_(graph.compelled) {}

template <std::size_t W> bool MemberLister<W>::next() {
    if (!started_) {
        started_ = true;
        auto open = none;
        const auto components = chain_components<W>(undirected_);
        for (auto part = components.rbegin(); part != components.rend(); ++part) {
            // Compelled arcs into one node of a chain component go into all of them.
            opened_.push_back({*part, parents_[part->lowest()], open});
            open = opened_.size() - 1;
        }
        choose_all(open);
        return true;
    }
    while (!choices_.empty() && choices_.back().sources.empty()) choices_.pop_back();
    if (choices_.empty()) return false;
    choose_all(choose_source());
    return true;
}

// Makes the first choice for every open part, and for the parts that these open.
template <std::size_t W> void MemberLister<W>::choose_all(std::size_t open) {
    while (open != none) {
        choices_.push_back({opened_[open], opened_[open].part, opened_.size()});
        open = choose_source();
    }
}

// Tries the next source of the last choice; returns the parts that are then open.
template <std::size_t W> std::size_t MemberLister<W>::choose_source() {
    auto& choice = choices_.back();
    const auto source = choice.sources.lowest();
    choice.sources.erase(source);
    opened_.resize(choice.n_opened);
    parents_[source] = choice.open.parents;
    auto open = choice.open.below;
    for_each_part<W>(undirected_, choice.open.part, NodeSet<W>::single(source),
                     [&](const NodeSet<W>& part, const NodeSet<W>& arcs) {
                         const auto into = choice.open.parents | arcs;
                         part.for_each([&](std::size_t node) { parents_[node] = into; });
                         if (part.size() == 1) return;
                         opened_.push_back({part, into, open});
                         open = opened_.size() - 1;
                     });
    return open;
}

#define CREDIBLENET_INSTANTIATE(W) template class MemberLister<W>;
CREDIBLENET_FOR_EACH_WIDTH(CREDIBLENET_INSTANTIATE)
#undef CREDIBLENET_INSTANTIATE

} // namespace crediblenet
