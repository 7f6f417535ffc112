#include "scores/journal.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace crediblenet {

namespace {

// Search, where the piece begins, words that follow, and a check of all of them.
using Head = std::array<std::uint64_t, 4>;

std::uint64_t check_of(const Head& head, std::span<const std::uint64_t> words) {
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    auto mix = [&](std::uint64_t word) {
        h ^= word;
        h *= 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    };
    for (std::size_t k = 0; k < 3; ++k) mix(head[k]);
    for (const auto word : words) mix(word);
    return h;
}

} // namespace

bool Journal::open(const std::string& path, const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (file_ || !error_.empty()) return fail("it was opened before");
    const auto begin = "crediblenet scores " + key + "\n";
    path_ = path;
    file_.reset(std::fopen(path.c_str(), "r+b"));
    if (file_) {
        std::string found(begin.size(), '\0');
        const bool same = std::fread(found.data(), 1, found.size(), file_.get()) == found.size() &&
                          found == begin;
        std::error_code failure;
        const auto size = std::filesystem::file_size(path, failure);
        if (same && !failure) {
            read_records(size);
            const auto end = static_cast<std::uintmax_t>(std::ftell(file_.get()));
            std::filesystem::resize_file(path, end, failure);
            if (!failure) return true;
        }
    }
    records_.clear();
    file_.reset(std::fopen(path.c_str(), "w+b"));
    if (!file_ || std::fwrite(begin.data(), 1, begin.size(), file_.get()) != begin.size() ||
        std::fflush(file_.get()) != 0)
        return fail(std::strerror(errno));
    return true;
}

// Reads whole records and leaves the file's position behind the last one.
void Journal::read_records(std::uintmax_t file_size) {
    std::vector<std::uint64_t> words;
    for (;;) {
        const auto start = std::ftell(file_.get());
        Head head;
        words.clear();
        bool whole = std::fread(head.data(), sizeof(std::uint64_t), 4, file_.get()) == 4;
        // A damaged length must not ask for more than the file has.
        whole = whole && head[2] <= file_size / sizeof(std::uint64_t);
        if (whole && head[2] > 0) {
            words.resize(head[2]);
            whole = std::fread(words.data(), sizeof(std::uint64_t), words.size(), file_.get()) ==
                    words.size();
        }
        if (!whole || head[3] != check_of(head, words)) {
            std::fseek(file_.get(), start, SEEK_SET);
            return;
        }
        const auto offset = start + static_cast<long>(sizeof(Head));
        records_[{head[0], head[1]}] = {offset, head[2]};
    }
}

std::vector<std::uint64_t> Journal::find(std::uint64_t search, std::uint64_t begin) const {
    const std::lock_guard lock(mutex_);
    const auto record = records_.find({search, begin});
    if (record == records_.end() || !file_) return {};
    const auto [offset, count] = record->second;
    std::vector<std::uint64_t> words(count);
    const bool whole = std::fseek(file_.get(), offset, SEEK_SET) == 0 &&
                       std::fread(words.data(), sizeof(std::uint64_t), count, file_.get()) == count;
    std::fseek(file_.get(), 0, SEEK_END); // new records go there
    if (!whole) words.clear();
    return words;
}

void Journal::add(std::uint64_t search, std::uint64_t begin,
                  std::span<const std::uint64_t> record) {
    const std::lock_guard lock(mutex_);
    if (!file_) return;
    Head head{search, begin, record.size(), 0};
    head[3] = check_of(head, record);
    const auto write = [&](std::span<const std::uint64_t> words) {
        return words.empty() || std::fwrite(words.data(), sizeof(std::uint64_t), words.size(),
                                            file_.get()) == words.size();
    };
    if (!write(head) || !write(record) || std::fflush(file_.get()) != 0) {
        fail(std::strerror(errno));
        return;
    }
    unlooked_ += sizeof(Head) + record.size_bytes();
    if (unlooked_ < look_after) return;
    unlooked_ = 0;
    std::error_code unknown;
    const auto space = std::filesystem::space(path_, unknown);
    if (!unknown && space.available < free_bytes) fail("less than 1 GB is free on the disk");
}

std::string Journal::error() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

std::size_t Journal::found() const {
    const std::lock_guard lock(mutex_);
    return records_.size();
}

bool Journal::fail(const std::string& what) {
    error_ = what;
    file_.reset();
    return false;
}

} // namespace crediblenet
