// Finished pieces of the last level of a scoring run, kept in a file, so that a run that was
// killed need not count them again.
//
// The last level is nearly all of the work where the number of parents is limited, and all
// that is kept of it are candidates: little to write, and easy to check when it is read.
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

    // The record of a piece: which search, and where it begins. Empty if there is none.
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

    bool fail(const std::string& what);
    void read_records(std::uintmax_t file_size);

    mutable std::mutex mutex_;
    std::unique_ptr<std::FILE, Close> file_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> records_;
    std::string error_;
};

} // namespace crediblenet
