// Blocks of networks: several threads give what one gives, and errors name the network.
#include "classes/batch.h"
#include "classes/class_counter.h"

#include "all_dags.h"
#include "check.h"

#include <map>
#include <string>

using namespace crediblenet;

namespace {

struct Block {
    std::vector<std::uint64_t> words;
    std::size_t count = 0, nodes = 0;

    [[nodiscard]] DagBatch view() const { return {words.data(), count, nodes, (nodes + 63) / 64}; }
};

template <std::size_t W> Block random_block(std::size_t count, std::size_t nodes) {
    Block block{{}, count, nodes};
    std::mt19937_64 random(nodes);
    for (std::size_t g = 0; g < count; ++g)
        for (const auto& set : random_dag<W>(nodes, 2.0 / static_cast<double>(nodes), random))
            for (std::size_t w = 0; w < (nodes + 63) / 64; ++w) block.words.push_back(set.word[w]);
    return block;
}

void threads_agree(const Block& block) {
    const auto dags = block.view();
    Control control;
    const Run one{1, control}, four{4, control};
    const auto size = block.words.size();
    std::vector<std::uint64_t> a(size), b(size), c(size), d(size);
    check_dags(dags, four);
    batch_cpdags(dags, a.data(), b.data(), one);
    batch_cpdags(dags, c.data(), d.data(), four);
    CHECK(a == c);
    CHECK(b == d);
    batch_sample(dags, 9, a.data(), one);
    batch_sample(dags, 9, b.data(), four);
    CHECK(a == b);
    CHECK(batch_sizes(dags, one) == batch_sizes(dags, four));
    const std::vector<double> weights(block.count, 0.1);
    const auto few = batch_feature_sums(dags, weights, one);
    const auto many = batch_feature_sums(dags, weights, four);
    CHECK(few.directed == many.directed);
    CHECK(few.blanket == many.blanket);
    CHECK(batch_v_structure_sums(dags, weights, one).sums ==
          batch_v_structure_sums(dags, weights, four).sums);
}

// Draws are members: they fall into the groups of the networks that they were drawn for.
void groups_hold_their_samples() {
    auto block = random_block<1>(500, 6);
    Control control;
    const Run run{2, control};
    std::vector<std::uint64_t> drawn(block.words.size());
    batch_sample(block.view(), 1, drawn.data(), run);
    block.words.insert(block.words.end(), drawn.begin(), drawn.end());
    block.count *= 2;
    for (auto same : {Sameness::markov_class, Sameness::skeleton}) {
        std::vector<std::int64_t> group(block.count);
        const auto groups = batch_group(block.view(), same, group.data(), run);
        std::int64_t next = 0; // numbered by first appearance
        for (std::size_t g = 0; g < block.count; ++g) {
            CHECK(group[g] <= next);
            next += group[g] == next;
            if (g < 500) CHECK(group[g] == group[g + 500]);
        }
        CHECK(static_cast<std::size_t>(next) == groups);
    }
}

void errors_name_the_network() {
    auto block = random_block<1>(1000, 5);
    for (std::size_t g : {700u, 300u}) // 0 -> 1 -> 0
        for (std::size_t y = 0; y < 2; ++y) block.words[g * 5 + y] = std::uint64_t{2} >> y;
    Control control;
    std::string message;
    try {
        check_dags(block.view(), {4, control});
    } catch (const std::invalid_argument& error) {
        message = error.what();
    }
    CHECK(message == "network 300 has a directed cycle");
    control.stop(StopReason::interrupted);
    CHECK_THROWS(batch_sizes(block.view(), {2, control}), Stopped);
}

} // namespace

int main() {
    threads_agree(random_block<1>(9000, 12));
    if constexpr (is_built<2>) threads_agree(random_block<2>(1000, 70));
    if constexpr (is_built<4>) threads_agree(random_block<4>(600, 130));
    groups_hold_their_samples();
    errors_name_the_network();
}
