#include "scores/discrete_scores.h"

#include <stdexcept>

namespace crediblenet {

std::unique_ptr<Score> make_discrete_score(DiscreteKind kind, const DiscreteTable& table,
                                           double ess) {
    switch (kind) {
    case DiscreteKind::bic:
    case DiscreteKind::aic:
    case DiscreteKind::qnml: return make_entropy_score(kind, table);
    case DiscreteKind::bdeu: return make_bdeu_score(table, ess);
    case DiscreteKind::bds: return make_bds_score(table, ess);
    case DiscreteKind::k2:
    case DiscreteKind::fnml: return make_factorized_score(kind, table);
    }
    throw std::invalid_argument("unknown score");
}

} // namespace crediblenet
