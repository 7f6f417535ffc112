// Nodes of a circuit written down in pieces make the same circuit again; anything else is refused.
#include "enumeration/circuit.h"

#include "check.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <thread>

using namespace crediblenet;

namespace {

// Adds nodes of all kinds, each on top of what is there.
void grow(Circuit& circuit, std::mt19937& random, std::size_t steps) {
    for (std::size_t step = 0; step < steps; ++step) {
        const auto size = static_cast<std::uint32_t>(circuit.size());
        const auto what = size < 4 ? 0 : random() % 3;
        if (what == 0) {
            circuit.leaf(static_cast<std::uint32_t>(random() % 1000));
            continue;
        }
        std::vector<CircuitNode> children{static_cast<CircuitNode>(random() % size),
                                          static_cast<CircuitNode>(random() % size)};
        std::sort(children.begin(), children.end());
        children.erase(std::unique(children.begin(), children.end()), children.end());
        what == 1 ? circuit.choice(children) : circuit.product(children);
    }
}

bool same(const Circuit& a, const Circuit& b) {
    if (a.size() != b.size()) return false;
    for (CircuitNode node = 0; node < a.size(); ++node) {
        if (a.kind(node) != b.kind(node)) return false;
        if (a.kind(node) == Circuit::Kind::leaf
                ? a.row(node) != b.row(node)
                : !std::ranges::equal(a.children(node), b.children(node)))
            return false;
    }
    return true;
}

void pieces_make_the_whole(std::mt19937& random) {
    Circuit circuit, copy;
    for (int piece = 0; piece < 6; ++piece) {
        grow(circuit, random, random() % 40);
        copy.append(circuit.nodes_from(static_cast<CircuitNode>(copy.size())));
        CHECK(same(circuit, copy));
    }
    // Equal nodes are still found: both grow in the same way.
    auto one = random, other = random;
    grow(circuit, one, 40);
    grow(copy, other, 40);
    CHECK(same(circuit, copy));
}

// Every single change is refused or makes a circuit whose nodes are all in place.
void changes_do_no_harm(std::mt19937& random) {
    Circuit circuit;
    grow(circuit, random, 60);
    const auto whole = circuit.nodes_from(0);
    for (int change = 0; change < 200; ++change) {
        auto nodes = whole;
        const auto place = random() % nodes.kind.size();
        const auto wild = static_cast<std::uint32_t>(random());
        switch (random() % 5) {
        case 0: nodes.kind[place] = static_cast<std::uint8_t>(wild); break;
        case 1: nodes.count[place] = wild % 2 == 0 ? wild : wild % 4; break;
        case 2: nodes.values[random() % nodes.values.size()] = wild; break;
        case 3: nodes.values.pop_back(); break;
        default: nodes.count.pop_back(); break;
        }
        Circuit made;
        try {
            made.append(nodes);
        } catch (const std::invalid_argument&) {
            continue;
        }
        for (CircuitNode node = 0; node < made.size(); ++node)
            if (made.kind(node) != Circuit::Kind::leaf)
                for (const auto child : made.children(node)) CHECK(child < node);
    }
}

// A checkpoint is written while other threads read the same circuit.
void many_readers(std::mt19937& random) {
    Circuit circuit;
    grow(circuit, random, 400);
    std::vector<Circuit> copies(4);
    {
        std::vector<std::jthread> readers;
        for (auto& copy : copies) readers.emplace_back([&] { copy.append(circuit.nodes_from(0)); });
    }
    for (const auto& copy : copies) CHECK(same(circuit, copy));
}

} // namespace

int main() {
    std::mt19937 random(11);
    for (int round = 0; round < 50; ++round) pieces_make_the_whole(random);
    for (int round = 0; round < 10; ++round) changes_do_no_harm(random);
    many_readers(random);
    CHECK(Circuit().nodes_from(0).kind.empty());
}
