// Something for each number of joint states that has come up.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace crediblenet {

// Values are made when they are first asked for. Small numbers of states, which are most of
// those that many sets have, are looked up without a search.
template <class T> class ByStates {
  public:
    template <class Make> T& get(long double states, Make&& make) {
        if (states < static_cast<long double>(small_.size())) {
            auto& value = small_[static_cast<std::size_t>(states)];
            if (!value) value.emplace(make(states));
            return *value;
        }
        auto entry = large_.find(states);
        if (entry == large_.end()) entry = large_.emplace(states, make(states)).first;
        return entry->second;
    }

  private:
    std::vector<std::optional<T>> small_ = std::vector<std::optional<T>>(1024);
    std::map<long double, T> large_;
};

} // namespace crediblenet
