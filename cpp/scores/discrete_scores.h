// BIC, AIC, qNML, BDeu, BDs, K2 and fNML: the scores of discrete data.
#pragma once

#include "scores/discrete_table.h"
#include "scores/score.h"

namespace crediblenet {

enum class DiscreteKind : std::uint8_t { bic, aic, qnml, bdeu, bds, k2, fnml };

// Each kind of score has a file of its own.
std::unique_ptr<Score> make_entropy_score(DiscreteKind kind, const DiscreteTable& table);
std::unique_ptr<Score> make_factorized_score(DiscreteKind kind, const DiscreteTable& table);
std::unique_ptr<Score> make_bdeu_score(const DiscreteTable& table, double ess);
std::unique_ptr<Score> make_bds_score(const DiscreteTable& table, double ess);

// `ess` is the equivalent sample size of BDeu and BDs. The table must outlive the score.
std::unique_ptr<Score> make_discrete_score(DiscreteKind kind, const DiscreteTable& table,
                                           double ess);

} // namespace crediblenet
