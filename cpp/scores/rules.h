// The pruning rules: when a parent set of variable i, or a whole family of them, cannot be
// part of a credible network. Each has its proof; each can be switched off.
//
// Notation. Π, S: parent sets of i that contain all required parents of i, Q ⊂ S. cost(S) =
// fit(S) + w·t(S) for BIC and AIC, fit(S) = N·H(i | S), t(S) = r_S (r_i - 1). S is *dominated*
// if some proper subset Q that is allowed has cost(Q) + ε + τ < cost(S). R1 drops the sets that
// are dominated; every other rule drops sets only if it proves them dominated, so the table that
// is left does not depend on which of them were used. "S+" means S and all its supersets.
//
// From R2 on, `epsilon` is ε + τ plus the error that costs may have from rounding, so that
// every comparison errs on the side of keeping a set.
#pragma once

#include "types.h"

#include <cmath>
#include <cstdint>

namespace crediblenet {

struct RuleSwitches {
    bool r1 = true, r2 = true, r3 = true, c4 = true, r5 = true, r6 = true;
};

// How many parent sets (pairs of a variable and a set) each rule removed first.
struct RuleCounters {
    std::uint64_t r1 = 0, r2 = 0, r3 = 0, c4 = 0, r5 = 0, r6 = 0;
    RuleCounters& operator+=(const RuleCounters& other) {
        r1 += other.r1, r2 += other.r2, r3 += other.r3;
        c4 += other.c4, r5 += other.r5, r6 += other.r6;
        return *this;
    }
};

// R1 (Lemma 1), any score: drop S if best + ε < cost(S), where best is the least cost of an
// allowed proper subset. On the grid, where costs and sums are exact; ε includes τ.
// Proof. Let Q be that subset. A network that uses S for i becomes better by more than ε when S is
// replaced with Q, and fewer arcs make no cycle. So it was not credible. ∎
inline bool r1_drops(Cost best, Cost epsilon, Cost cost) { return best + epsilon < cost; }

// R2 (Theorem 2, sharpened): drop S+ if best + ε < floor + w·t(S), where best is the least
// cost of an allowed proper subset of S and floor = N·H(i | all allowed parents of i).
// Proof. For S' ⊇ S: fit(S') >= floor, as conditioning lowers entropy, and t(S') >= t(S).
// So cost(S') >= floor + w·t(S) > best + ε. ∎
inline bool r2_drops(double best, double epsilon, double floor, double penalty_of_set) {
    return best + epsilon < floor + penalty_of_set;
}

// R3 (Theorem 3): drop S+ if S = Q ∪ {j}, j not required, and w·r_Q (r_i - 1) > N ln r_i + ε.
// Proof. For S' ⊇ S let Q' = S' \ {j} ⊇ Q. Then cost(S') - cost(Q') >= -fit(Q') +
// w·t(Q')·(r_j - 1) >= -N ln r_i + w·r_Q (r_i - 1) > ε. ∎
// Returned is the largest w·r_Q (r_i - 1) that the rule lets pass.
inline double r3_limit(double rows, double arity, double epsilon) {
    return rows * std::log(arity) + epsilon;
}

// C4 (Corollary 4), BIC with N > 4: drop S if |S| > ⌈log2 N + ε⌉ and S is not required as a
// whole. Supersets satisfy the same condition.
// Proof. Let j in S not be required and Q = S \ {j}; r_Q >= 2^(|S|-1) >= N·2^ε. R3 applies:
// w (r_i - 1) r_Q >= (ln N / 2)(r_i - 1) N 2^ε, and ln r_i <= (r_i - 1) ln 2. As N >= 5,
// ln N / 2 > 0.8 and ln 2 < 0.7, so the left side exceeds N ln r_i by at least
// N (0.8·2^ε - 0.7) >= 5 (0.8 (1 + 0.69 ε) - 0.7) > ε + 0.4. ∎
inline bool c4_drops(std::size_t parents, double rows, double epsilon) {
    return rows > 4 && static_cast<double>(parents) > std::ceil(std::log2(rows) + epsilon);
}

// R5 (Theorem 5, sharpened): let T be a joint set, i and j in T, Q = T \ {i, j}. Drop
// (Q ∪ {j})+ for i if N·min{H(i | Q) - floor_i, H(j | Q) - floor_j} + ε < w (r_i - 1)
// (r_j - 1) r_Q, where floor_v = H(v | all other variables).
// Proof. For S ⊇ Q ∪ {j}, R = S \ {j} ⊇ Q: cost(S) - cost(R) = w (r_j - 1)(r_i - 1) r_R -
// N·I(i; j | R), and I(i; j | R) = H(i | R) - H(i | S) <= H(i | Q) - floor_i. The same
// holds with i and j exchanged, as mutual information is symmetric. ∎
//
// The condition is symmetric in i and j, so it drops (Q ∪ {i})+ for j as well. It says "the
// uncertainty of i given Q is too little to pay for an arc between i and j". What is
// kept for the pair (i, Q ∪ {i}) is the largest r_j - 1 that it can pay for.
inline std::uint8_t r5_headroom(double uncertainty, double epsilon, double penalty_per_state) {
    const auto most = (uncertainty + epsilon) / penalty_per_state;
    return most >= 255 ? 255 : most > 0 ? static_cast<std::uint8_t>(most) : 0;
}
// A headroom of 255 means "at least": nothing is dropped then.
inline bool r5_drops(std::uint8_t headroom, std::uint32_t partner_arity) {
    return headroom < 255 && partner_arity - 1 > headroom;
}

// R6 (Theorem 6, sharpened), BDeu, BDs, K2, fNML: drop S+ if best + ε < c·ln r_i, where c is
// the number of configurations of S that occur, or, sharper, of S ∪ {i} (which is known as
// soon as S itself has been scored).
// Proof. Both numbers can only grow with S, the second is the larger one, and every
// configuration of S ∪ {i} that occurs costs at least ln r_i. For a symmetric Dirichlet
// prior with sum a (BDeu, BDs, K2), the cost of a configuration of S is Σ -ln(predictive
// probability) over its rows in turn, and a value that is seen there for the first time,
// after m rows, has probability (a / r_i) / (a + m) <= 1 / r_i. For fNML let x be the values of
// i in the n rows of a configuration, k of them distinct. The cost is -ln max_θ P(x | θ) +
// ln C, where C sums max_θ P(y | θ) over all sequences y of length n. Replace the k values of
// x by any k values, not necessarily distinct, in r_i^k ways: merging values raises the
// maximum likelihood, as a^a b^b <= (a + b)^(a + b), so C >= r_i^k max_θ P(x | θ). ∎
inline bool r6_drops(double best, double epsilon, double configurations, double log_arity) {
    return best + epsilon < configurations * log_arity;
}

} // namespace crediblenet
