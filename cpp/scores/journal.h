// Finished pieces of a scoring run, kept in a file, so that a run that was killed need not
// count them again: of the largest sets, if their size is limited, the candidates, which is
// all that comes of them; of others the terms of the sets that were counted (terms_record.h).
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace crediblenet {

class Journal {
  public:
    // Nothing is read or written until it is opened.
    Journal() = default;

    // Reads the records of a file that begins with this key, and adds new ones behind them; any
    // other file is begun anew. A record that is not whole, with all that follow it, is cut off.
    // False, with a reason in `error`, when the file cannot be used. May be called once, by
    // any thread.
    bool open(const std::string& path, const std::string& key);

    // The record of a piece: which search, and where it begins. Empty if there is none. Read
    // from the file when it is asked for: there may be more of them than there is memory.
    [[nodiscard]] std::vector<std::uint64_t> find(std::uint64_t search, std::uint64_t begin) const;
    // A file that cannot be written any more ends the records, not the run.
    void add(std::uint64_t search, std::uint64_t begin, std::span<const std::uint64_t> record);

    [[nodiscard]] std::string error() const;
    // How many records were found in the file.
    [[nodiscard]] std::size_t found() const;

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    // Where a record's words are in the file, and how many.
    struct Place {
        long offset;
        std::uint64_t words;
    };

    bool fail(const std::string& what);
    // Bytes behind which the disk is looked at, so that there is room for the results.
    static constexpr std::uintmax_t look_after = 1 << 26, free_bytes = 1 << 30;
    void read_records(std::uintmax_t file_size);

    mutable std::mutex mutex_;
    std::unique_ptr<std::FILE, Close> file_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Place> records_;
    std::string path_, error_;
    std::uintmax_t unlooked_ = 0; // bytes written since the disk was looked at
};

} // namespace crediblenet
