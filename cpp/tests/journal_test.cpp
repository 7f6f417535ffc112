// A journal gives back what was put in, and nothing that is not whole or not plausible.
#include "scores/journal.h"
#include "scores/part_record.h"
#include "scores/terms_record.h"

#include "check.h"

#include <filesystem>
#include <fstream>
#include <thread>

using namespace crediblenet;

namespace {

const auto path = (std::filesystem::temp_directory_path() / "crediblenet_journal_test").string();

void records_survive() {
    std::filesystem::remove(path);
    const std::vector<std::uint64_t> one{1, 2, 3}, other{};
    {
        Journal journal;
        journal.add(0, 0, one); // before it is open: nowhere
        CHECK(journal.open(path, "key"));
        CHECK(!journal.open(path, "key"));
    }
    {
        Journal journal;
        CHECK(journal.open(path, "key") && journal.found() == 0);
        std::jthread first([&] { journal.add(0, 8, one); });
        std::jthread second([&] { journal.add(1, 8, other); });
    }
    {
        Journal journal;
        CHECK(journal.open(path, "key") && journal.found() == 2);
        CHECK(journal.find(0, 8) == one && journal.find(1, 8) == other);
        CHECK(journal.find(0, 9).empty());
    }
    // The last record loses a byte, or changes one.
    const auto size = std::filesystem::file_size(path);
    std::filesystem::resize_file(path, size - 1);
    {
        Journal journal;
        CHECK(journal.open(path, "key") && journal.found() == 1);
        journal.add(2, 0, one);
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    std::ofstream(path, std::ios::app | std::ios::binary) << 'x';
    {
        Journal journal;
        CHECK(journal.open(path, "key") && journal.found() == 1);
    }
    {
        Journal journal;
        CHECK(journal.open(path, "another") && journal.found() == 0);
    }
    Journal nowhere;
    CHECK(!nowhere.open("/no/such/folder/file", "key") && !nowhere.error().empty());
    nowhere.add(0, 0, one);
    std::filesystem::remove(path);
}

template <std::size_t W> void records_are_checked() {
    const auto targets = NodeSet<W>::first(3);
    std::vector<NodeSet<W>> allowed(4, NodeSet<W>::first(4));
    for (std::size_t i = 0; i < 4; ++i) allowed[i].erase(i);
    LevelPart<W> part;
    part.counted = 7, part.scored = 5;
    part.removed.r1 = 3, part.removed.r6 = 2;
    part.candidates.push_back({NodeSet<W>::single(3), 17, 2});
    part.candidates.push_back({NodeSet<W>{}, -4, 0});
    auto words = to_record(part);
    LevelPart<W> back;
    CHECK(from_record<W>(words, targets, allowed, {}, back));
    CHECK(back.counted == 7 && back.scored == 5 && back.removed.r1 == 3 && back.removed.r6 == 2);
    std::vector<ScoredSet<W>> candidates;
    back.candidates.for_each([&](const auto& candidate) { candidates.push_back(candidate); });
    CHECK(candidates.size() == 2 && candidates[0].cost == 17 && candidates[1].cost == -4);
    CHECK(candidates[0].parents == NodeSet<W>::single(3) && candidates[0].child == 2);
    const auto refused = [&](std::size_t place, std::uint64_t value) {
        auto bad = words;
        bad[place] = value;
        LevelPart<W> ignored;
        return !from_record<W>(bad, targets, allowed, {}, ignored);
    };
    CHECK(refused(8, 3));                       // no target
    CHECK(refused(8, std::uint64_t{1} << 40));  // no variable
    CHECK(refused(9, std::uint64_t{1} << 62));  // no cost
    CHECK(refused(10, 1 << 2));                 // its own parent
    CHECK(refused(10, std::uint64_t{1} << 50)); // an unknown parent
    words.pop_back();
    CHECK(!from_record<W>(words, targets, allowed, {}, back));
    CHECK(!from_record<W>({}, targets, allowed, {}, back));
}

void terms_come_back() {
    std::filesystem::remove(path);
    std::vector<Cost> terms(2);
    TermsRecord record;
    record.begin(nullptr, 0, 0);
    record.keep(terms);
    CHECK(!record.take(terms) && record.fresh().empty()); // no journal
    Journal journal;
    CHECK(journal.open(path, "key"));
    record.begin(&journal, 1, 0);
    for (const Cost cost : {5, -7}) record.keep(std::vector<Cost>{cost, 3});
    journal.add(1, 0, record.fresh());
    journal.add(1, 8, std::vector<std::uint64_t>{4, std::uint64_t{1} << 62, 1, 1}); // no terms
    Journal again;
    CHECK(again.open(path, "key") && again.found() == 2);
    record.begin(&again, 1, 0);
    CHECK(record.take(terms) && terms == (std::vector<Cost>{5, 3}));
    record.keep(terms); // it is there already
    CHECK(record.take(terms) && terms == (std::vector<Cost>{-7, 3}) && record.fresh().empty());
    CHECK(!record.take(terms)); // no more of them
    record.begin(&again, 1, 8);
    CHECK(!record.take(terms) && !record.take(terms));
    again.add(2, 0, std::vector<std::uint64_t>{1}); // behind the others, though one was read last
    Journal last;
    CHECK(last.open(path, "key") && last.found() == 3);
    std::filesystem::remove(path);
}

} // namespace

int main() {
    records_survive();
    terms_come_back();
    records_are_checked<1>();
    if constexpr (is_built<2>) records_are_checked<2>();
    if constexpr (is_built<4>) records_are_checked<4>();
}
