#include "scores/pruning.h"

#include <algorithm>
#include <limits>

namespace crediblenet {

bool drops_families(const ScoreTraits& traits, const RuleSwitches& rules, double epsilon) {
    return std::isfinite(epsilon) &&
           ((traits.penalized_entropy && (rules.r2 || rules.r3 || rules.c4 || rules.r5)) ||
            (traits.configurations_cost && rules.r6));
}

Pruning::Pruning(const Score& score, const PruningParams& params)
    : unit_(std::ldexp(1.0, -score.grid_bits())),
      epsilon_(params.epsilon + 4 * score.error() + 1e-9),
      epsilon_units_(static_cast<Cost>(std::min(std::floor(params.epsilon / unit_), 0x1p61))),
      uses_r1_(params.rules.r1), base_size_(params.base_size), base_cost_(params.base_cost),
      floor_(params.floor), floor_all_(params.floor_all), least_arity_(params.least_arity) {
    constexpr auto infinity = std::numeric_limits<double>::infinity();
    const auto& traits = score.traits();
    const auto n = score.variables();
    uses_r2_ = params.rules.r2 && traits.penalized_entropy;
    uses_r5_ = params.rules.r5 && traits.penalized_entropy;
    uses_r6_ = params.rules.r6 && traits.configurations_cost;

    c4_size_ = std::numeric_limits<std::size_t>::max();
    if (params.rules.c4 && traits.bic)
        for (std::size_t k = 0; k <= n; ++k)
            if (c4_drops(k, traits.rows, epsilon_)) {
                c4_size_ = k - 1;
                break;
            }

    arity_.resize(n);
    log_arity_.resize(n);
    weight_.assign(n, 0);
    most_states_.assign(n, infinity);
    r3_states_.assign(n, infinity);
    least_target_arity_ = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t v = 0; v < n; ++v) {
        const auto arity = score.arity(static_cast<Node>(v));
        arity_[v] = arity;
        log_arity_[v] = std::log(arity_[v]);
        weight_[v] = traits.penalty * (arity - 1.0);
        if (!params.target[v]) continue;
        least_target_arity_ = std::min(least_target_arity_, arity);
        if (uses_r2_ && weight_[v] > 0)
            most_states_[v] = (nats(params.base_cost[v]) + epsilon_ - floor_[v]) / weight_[v];
        if (params.rules.r3 && traits.penalized_entropy && weight_[v] > 0)
            r3_states_[v] = r3_limit(traits.rows, arity_[v], epsilon_) / weight_[v];
        most_parent_states_ = std::max(most_parent_states_, most_states_[v]);
    }
}

std::size_t Pruning::largest_addition(std::size_t variables) const {
    auto arities = arity_;
    std::sort(arities.begin(), arities.end());
    double states = 1;
    std::size_t count = 0;
    while (count < variables && (states *= arities[count]) <= most_parent_states_) ++count;
    return count;
}

} // namespace crediblenet
