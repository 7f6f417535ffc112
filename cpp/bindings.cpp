// The only file that knows Python: it converts arguments, releases the
// interpreter lock, and hands results over. No logic lives here. It is one file,
// however long, so that this is the only place to check what Python may pass;
// each stage has a section of its own.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "big_uint.h"
#include "bounds/any_problem.h"
#include "classes/batch.h"
#include "classes/local_classes.h"
#include "control.h"
#include "enumeration/compiled_set.h"
#include "enumeration/live_circuit.h"
#include "scores/discrete_scores.h"
#include "scores/gaussian_scores.h"
#include "scores/scoring.h"
#include "types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
namespace cn = crediblenet;

namespace {

// ---- Run control -----------------------------------------------------------

const char* reason_name(cn::StopReason reason) {
    switch (reason) {
    case cn::StopReason::none: return nullptr;
    case cn::StopReason::interrupted: return "interrupted";
    case cn::StopReason::time: return "time";
    case cn::StopReason::memory: return "memory";
    case cn::StopReason::limit: return "limit";
    }
    return nullptr;
}

// Stopped becomes KeyboardInterrupt or LimitError: what a Python user expects.
void translate_stopped(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const cn::Stopped& stopped) {
        if (stopped.reason == cn::StopReason::interrupted) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
            return;
        }
        const auto type = nb::module_::import_("crediblenet.exceptions").attr("LimitError");
        PyErr_SetString(type.ptr(), stopped.what());
    }
}

void bind_control(nb::module_& m) {
    nb::register_exception_translator(translate_stopped);
    nb::class_<cn::Control>(m, "Control",
                            "How one run of the core is watched and stopped, from any thread.")
        .def(
            "__init__",
            [](cn::Control* self, double time_limit, double memory_limit) {
                // NaN fails both comparisons, so it is refused as well.
                if (!(time_limit >= 0)) throw nb::value_error("time_limit must not be negative");
                if (!(memory_limit >= 0))
                    throw nb::value_error("memory_limit must not be negative");
                new (self) cn::Control();
                self->set_time_limit(time_limit);
                if (memory_limit < 0x1p63)
                    self->set_memory_limit(static_cast<std::size_t>(memory_limit));
            },
            "time_limit"_a = INFINITY, "memory_limit"_a = INFINITY,
            "Start the clock: seconds from now, and bytes.")
        .def(
            "interrupt", [](cn::Control& self) { self.stop(cn::StopReason::interrupted); },
            "Ask the run to end soon, as a user's Ctrl-C does.")
        .def(
            "exhaust", [](cn::Control& self) { self.stop(cn::StopReason::memory); },
            "Ask the run to end soon, because the memory limit is reached.")
        .def("poll", &cn::Control::poll, "Look at the clock; whether the run is stopped.")
        .def_prop_ro("seconds_left", &cn::Control::seconds_left,
                     "Seconds until the time limit; infinity without one.")
        .def_prop_ro(
            "stopped_by", [](const cn::Control& self) { return reason_name(self.reason()); },
            nb::for_getter(nb::sig("def stopped_by(self) -> str | None")),
            "Why the run was stopped, or None.")
        .def_prop_ro(
            "visited", [](const cn::Control& self) { return self.visited.load(); },
            "Parent sets, subsets or search nodes seen so far.")
        .def_prop_ro(
            "found", [](const cn::Control& self) { return self.found.load(); },
            "Candidate sets or networks found so far.")
        .def(
            "discover", [](cn::Control& self, std::uint64_t amount) { self.found += amount; },
            "amount"_a, "Report that so many more were found.")
        .def("fits", &cn::Control::fits, "amount"_a, "Whether so much more memory is allowed.")
        .def(
            "advance",
            [](cn::Control& self, double fraction, double settled) {
                self.pending -= settled;
                self.fraction = fraction;
            },
            "fraction"_a, "settled"_a = 0.0,
            "Report that so much of the stage is done; so much of it was pending before.")
        .def_prop_ro(
            "fraction",
            [](const cn::Control& self) {
                return std::clamp(self.fraction.load() + self.pending.load(), 0.0, 1.0);
            },
            "Estimated share of the stage that is done, between 0 and 1.")
        .def_prop_ro("memory_peak", &cn::Control::memory_peak,
                     "Most bytes that the run announced at any time.")
        .def_prop_ro(
            "memory_forecast",
            [](const cn::Control& self) {
                const auto forecast = self.forecast();
                return nb::make_tuple(forecast.least, forecast.expected, forecast.most);
            },
            nb::for_getter(nb::sig("def memory_forecast(self) -> tuple[float, float, float]")),
            "Bytes that the run will announce: surely, as expected (0: unknown), at most.")
        .def(
            "foresee",
            [](cn::Control& self, double least, double expected, double most) {
                self.foresee_elsewhere({least, expected, most});
            },
            "least"_a, "expected"_a, "most"_a,
            "Report what is known of the memory of a run on another machine.");
}

// ---- Arrays and numbers ----------------------------------------------------

// An array as Python has it. Another thread may write to it at any time, even
// while this one holds the interpreter lock, which numpy releases; so what was
// checked here may be something else when it is read again.
template <class T, std::size_t D>
using SharedArray = nb::ndarray<const T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;

// A copy of one, made before a function sees it: what is checked is what is used.
template <class T, std::size_t D> class Array {
  public:
    explicit Array(const SharedArray<T, D>& source)
        : values_(source.data(), source.data() + source.size()) {
        for (std::size_t axis = 0; axis < D; ++axis) shape_[axis] = source.shape(axis);
    }

    [[nodiscard]] const T* data() const { return values_.data(); }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] std::size_t shape(std::size_t axis) const { return shape_[axis]; }
    [[nodiscard]] const std::vector<T>& values() const { return values_; }

  private:
    std::vector<T> values_;
    std::array<std::size_t, D> shape_{};
};

} // namespace

// Any argument of type Array is such a copy.
template <class T, std::size_t D> struct nanobind::detail::type_caster<Array<T, D>> {
    using Source = make_caster<SharedArray<T, D>>;
    static constexpr auto Name = Source::Name;
    template <class> using Cast = Array<T, D>;
    template <class> static constexpr bool can_cast() { return true; }

    bool from_python(handle object, auto flags, cleanup_list* cleanup) noexcept {
        return source.from_python(object, flags, cleanup);
    }
    // Not in `from_python`, which may not fail for want of memory.
    explicit operator Array<T, D>() { return Array<T, D>(source.value); }

    Source source;
};

namespace {

template <class T> using NumpyArray = nb::ndarray<nb::numpy, T>;

// Hands a vector over to numpy without a copy.
template <class T>
NumpyArray<T> to_numpy(std::vector<T>&& values, const std::vector<std::size_t>& shape) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    auto* data = owned->data();
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return NumpyArray<T>(data, shape.size(), shape.data(), owner);
}

nb::object to_int(const cn::BigUint& number) {
    if (number.fits_uint64()) return nb::int_(number.low_bits());
    std::vector<unsigned char> bytes;
    for (auto limb : number.limbs())
        for (int shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<unsigned char>(limb >> shift));
    return nb::borrow<nb::object>(reinterpret_cast<PyObject*>(&PyLong_Type))
        .attr("from_bytes")(nb::bytes(bytes.data(), bytes.size()), "little");
}

// Calls f while other Python threads may run.
template <class F> auto without_lock(F&& f) {
    nb::gil_scoped_release unlocked;
    return f();
}

// ---- Objects that several threads have ---------------------------------------

// How many threads read an object while the interpreter lock is released; -1: one
// changes it. The guards below are made and dropped by threads that hold that lock.
std::unordered_map<const void*, int>& users() {
    static std::unordered_map<const void*, int> table;
    return table;
}

// Keeps an object from being changed by another thread. Refused, not waited for, while
// one changes it: that one needs the interpreter lock, which this one has, to end.
class Reading {
  public:
    explicit Reading(const void* object) : object_(object) {
        auto& readers = users()[object];
        if (readers < 0) throw std::runtime_error("another thread is changing this object");
        ++readers;
    }
    ~Reading() {
        if (--users()[object_] == 0) users().erase(object_);
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

  private:
    const void* object_;
};

// Keeps an object from being used by another thread at all.
class Changing {
  public:
    explicit Changing(const void* object) : object_(object) {
        if (!users().try_emplace(object, -1).second)
            throw std::runtime_error("another thread is using this object");
    }
    ~Changing() { users().erase(object_); }
    Changing(const Changing&) = delete;
    Changing& operator=(const Changing&) = delete;

  private:
    const void* object_;
};

// ---- Equivalence classes ---------------------------------------------------

using Dags = Array<std::uint64_t, 3>; // networks, variables, words

// A view of the array; every network is checked to be acyclic.
cn::DagBatch checked_dags(const Dags& parents, unsigned threads, cn::Control& control) {
    const cn::DagBatch dags{parents.data(), parents.shape(0), parents.shape(1), parents.shape(2)};
    if (dags.nodes == 0 || dags.nodes > cn::max_nodes)
        throw nb::value_error("networks must have 1 to 512 variables");
    if (dags.width != (dags.nodes + 63) / 64)
        throw nb::value_error("a parent set must have one word per 64 variables, rounded up");
    if (threads == 0 || threads > 1024) throw nb::value_error("threads must be 1 to 1024");
    without_lock([&] { cn::check_dags(dags, {threads, control}); });
    return dags;
}

cn::Sameness sameness(std::string_view name) {
    if (name == "class") return cn::Sameness::markov_class;
    if (name == "collider-pattern") return cn::Sameness::collider_pattern;
    if (name == "skeleton") return cn::Sameness::skeleton;
    throw nb::value_error("same must be 'class', 'collider-pattern' or 'skeleton'");
}

std::span<const double> checked_weights(const Array<double, 1>& weights, const cn::DagBatch& dags) {
    if (weights.shape(0) != dags.count) throw nb::value_error("one weight per network is needed");
    return {weights.data(), dags.count};
}

nb::tuple cpdags(const Dags& parents, unsigned threads, cn::Control& control) {
    const auto dags = checked_dags(parents, threads, control);
    std::vector<std::uint64_t> compelled(dags.words_count()), undirected(dags.words_count());
    without_lock(
        [&] { cn::batch_cpdags(dags, compelled.data(), undirected.data(), {threads, control}); });
    return nb::make_tuple(to_numpy(std::move(compelled), dags.shape()),
                          to_numpy(std::move(undirected), dags.shape()));
}

NumpyArray<std::uint64_t> canonical_members(const Dags& parents, unsigned threads,
                                            cn::Control& control) {
    const auto dags = checked_dags(parents, threads, control);
    std::vector<std::uint64_t> members(dags.words_count());
    without_lock([&] { cn::batch_canonical(dags, members.data(), {threads, control}); });
    return to_numpy(std::move(members), dags.shape());
}

NumpyArray<std::uint8_t> are_canonical(const Dags& parents, unsigned threads,
                                       cn::Control& control) {
    const auto dags = checked_dags(parents, threads, control);
    std::vector<std::uint8_t> result(dags.count);
    without_lock([&] { cn::batch_is_canonical(dags, result.data(), {threads, control}); });
    return to_numpy(std::move(result), {dags.count});
}

nb::list class_sizes(const Dags& parents, unsigned threads, cn::Control& control) {
    const auto dags = checked_dags(parents, threads, control);
    auto sizes = without_lock([&] { return cn::batch_sizes(dags, {threads, control}); });
    nb::list result;
    for (const auto& size : sizes) result.append(to_int(size));
    return result;
}

NumpyArray<std::uint64_t> sample_members(const Dags& parents, std::uint64_t seed, unsigned threads,
                                         cn::Control& control) {
    const auto dags = checked_dags(parents, threads, control);
    std::vector<std::uint64_t> members(dags.words_count());
    without_lock([&] { cn::batch_sample(dags, seed, members.data(), {threads, control}); });
    return to_numpy(std::move(members), dags.shape());
}

NumpyArray<std::uint64_t> network_hashes(const Dags& parents, std::string_view same,
                                         unsigned threads, cn::Control& control) {
    const auto what = sameness(same);
    const auto dags = checked_dags(parents, threads, control);
    std::vector<std::uint64_t> hashes(2 * dags.count);
    without_lock([&] { cn::batch_hashes(dags, what, hashes.data(), {threads, control}); });
    return to_numpy(std::move(hashes), {dags.count, 2});
}

NumpyArray<std::int64_t> group_networks(const Dags& parents, std::string_view same,
                                        unsigned threads, cn::Control& control) {
    const auto what = sameness(same);
    const auto dags = checked_dags(parents, threads, control);
    std::vector<std::int64_t> group(dags.count);
    without_lock([&] { cn::batch_group(dags, what, group.data(), {threads, control}); });
    return to_numpy(std::move(group), {dags.count});
}

nb::tuple feature_sums(const Dags& parents, const Array<double, 1>& weights, unsigned threads,
                       cn::Control& control) {
    const auto dags = checked_dags(parents, threads, control);
    const auto each = checked_weights(weights, dags);
    auto sums =
        without_lock([&] { return cn::batch_feature_sums(dags, each, {threads, control}); });
    const std::vector<std::size_t> shape{dags.nodes, dags.nodes};
    return nb::make_tuple(
        to_numpy(std::move(sums.directed), shape), to_numpy(std::move(sums.compelled), shape),
        to_numpy(std::move(sums.adjacent), shape), to_numpy(std::move(sums.blanket), shape));
}

nb::tuple v_structure_sums(const Dags& parents, const Array<double, 1>& weights, unsigned threads,
                           cn::Control& control) {
    const auto dags = checked_dags(parents, threads, control);
    const auto each = checked_weights(weights, dags);
    auto sums =
        without_lock([&] { return cn::batch_v_structure_sums(dags, each, {threads, control}); });
    const auto count = sums.triples.size();
    std::vector<std::int64_t> triples;
    for (const auto& triple : sums.triples)
        triples.insert(triples.end(), {triple.first, triple.middle, triple.last});
    return nb::make_tuple(to_numpy(std::move(triples), {count, 3}),
                          to_numpy(std::move(sums.sums), {count}));
}

// The first network of the array alone.
cn::DagBatch checked_dag(const Dags& parents) {
    cn::Control control;
    if (parents.shape(0) != 1) throw nb::value_error("exactly one network is needed");
    return checked_dags(parents, 1, control);
}

nb::list orientation_counts(const Dags& parents) {
    const auto dag = checked_dag(parents);
    auto counts = without_lock([&] { return cn::packed_orientation_counts(dag); });
    nb::list result;
    for (const auto& count : counts)
        result.append(nb::make_tuple(count.tail, count.head, to_int(count.members)));
    return result;
}

void bind_classes(nb::module_& m) {
    m.def("cpdags", cpdags, "parents"_a, "threads"_a, "control"_a,
          "Compelled parents and neighbours by reversible edges, per network.");
    m.def("canonical_members", canonical_members, "parents"_a, "threads"_a, "control"_a,
          "The canonical member of each network's class.");
    m.def("are_canonical", are_canonical, "parents"_a, "threads"_a, "control"_a,
          "Whether each network is the canonical member of its class.");
    m.def("class_sizes", class_sizes, "parents"_a, "threads"_a, "control"_a,
          "The exact number of members of each network's class.");
    m.def("sample_members", sample_members, "parents"_a, "seed"_a, "threads"_a, "control"_a,
          "A uniformly drawn member of each network's class.");
    m.def("network_hashes", network_hashes, "parents"_a, "same"_a, "threads"_a, "control"_a,
          "128-bit hashes that are equal for networks that are the same.");
    m.def("group_networks", group_networks, "parents"_a, "same"_a, "threads"_a, "control"_a,
          "The group of each network among those that are the same, by first appearance.");
    m.def("feature_sums", feature_sums, "parents"_a, "weights"_a, "threads"_a, "control"_a,
          "Weighted sums over classes: directed, compelled, adjacent, Markov blanket.");
    m.def("v_structure_sums", v_structure_sums, "parents"_a, "weights"_a, "threads"_a, "control"_a,
          "The v-structures, and the sums of the weights of the classes with them.");
    m.def("orientation_counts", orientation_counts, "parents"_a,
          "(tail, head, members) for both directions of each reversible edge of one class.");
    nb::class_<cn::PackedMembers>(m, "ClassMembers", "Walks through the members of one class.")
        .def(
            "__init__",
            [](cn::PackedMembers* self, const Dags& parents) {
                new (self) cn::PackedMembers(checked_dag(parents));
            },
            "parents"_a, "Begin before the first member of the class of one network.")
        .def(
            "next",
            [](cn::PackedMembers& self, std::size_t count) {
                auto words = self.next(count);
                const auto found = words.size() / (self.nodes() * self.width());
                return to_numpy(std::move(words), {found, self.nodes(), self.width()});
            },
            "count"_a, "The next members, at most `count`; fewer at the end, then none.");
}

// ---- Scores ------------------------------------------------------------------

cn::DiscreteKind discrete_kind(const std::string& name) {
    if (name == "bic") return cn::DiscreteKind::bic;
    if (name == "aic") return cn::DiscreteKind::aic;
    if (name == "qnml") return cn::DiscreteKind::qnml;
    if (name == "bdeu") return cn::DiscreteKind::bdeu;
    if (name == "bds") return cn::DiscreteKind::bds;
    if (name == "k2") return cn::DiscreteKind::k2;
    if (name == "fnml") return cn::DiscreteKind::fnml;
    throw nb::value_error("unknown score of discrete data");
}

cn::RuleSwitches rule_switches(const std::vector<std::string>& names) {
    cn::RuleSwitches rules{false, false, false, false, false, false};
    for (const auto& name : names) {
        if (name == "R1")
            rules.r1 = true;
        else if (name == "R2")
            rules.r2 = true;
        else if (name == "R3")
            rules.r3 = true;
        else if (name == "C4")
            rules.c4 = true;
        else if (name == "R5")
            rules.r5 = true;
        else if (name == "R6")
            rules.r6 = true;
        else
            throw nb::value_error("unknown rule");
    }
    return rules;
}

// Not copied as a whole: the columns are, one at a time.
using Codes = SharedArray<std::uint16_t, 2>;
using Weights = Array<std::int64_t, 1>;
using NodeLists = std::vector<std::vector<std::uint32_t>>;

// Everything is checked here, so that the core can rely on it.
cn::DiscreteTable discrete_table(const Codes& codes, const std::vector<std::uint32_t>& arities,
                                 const Weights& weights, cn::Control& control) {
    cn::DiscreteTable table;
    const auto n = codes.shape(0), rows = codes.shape(1);
    if (n == 0 || n > cn::max_nodes) throw nb::value_error("1 to 512 variables are possible");
    if (arities.size() != n || weights.shape(0) != rows || rows == 0)
        throw nb::value_error("codes, arities and weights do not fit together");
    table.arity = arities;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto weight = weights.data()[r];
        if (weight < 1 || weight >= std::int64_t{1} << 31)
            throw nb::value_error("weights must be positive and below 2^31");
        table.weight.push_back(static_cast<std::uint32_t>(weight));
        table.total += table.weight.back();
    }
    if (table.total >= std::uint64_t{1} << 31) throw nb::value_error("at most 2^31 rows");
    // The data in the order given, and spread.
    control.reserve(2 * rows * (n * sizeof(cn::DiscreteTable::Code) + 3 * sizeof(std::uint32_t)),
                    "the data");
    for (std::size_t v = 0; v < n && !control.stopped(); ++v) {
        const auto* begin = codes.data() + v * rows;
        const auto& column = table.column.emplace_back(begin, begin + rows);
        for (const auto code : column)
            if (code >= arities[v]) throw nb::value_error("a code is not below its arity");
    }
    return cn::spread_rows(table, control);
}

std::vector<std::vector<cn::Node>> node_lists(const NodeLists& lists, std::size_t n) {
    if (lists.size() != n) throw nb::value_error("arc constraints need one list per variable");
    std::vector<std::vector<cn::Node>> result(n);
    for (std::size_t i = 0; i < n; ++i)
        for (const auto v : lists[i]) {
            if (v >= n || v == i) throw nb::value_error("an arc constraint is out of range");
            result[i].push_back(static_cast<cn::Node>(v));
        }
    return result;
}

nb::dict scoring_result(cn::ScoringResult&& result, std::size_t n) {
    nb::dict answer;
    std::vector<std::int64_t> offsets(result.offsets.begin(), result.offsets.end());
    const auto rows = result.costs.size();
    answer["offsets"] = to_numpy(std::move(offsets), {n + 1});
    answer["parents"] = to_numpy(std::move(result.parents), {rows, (n + 63) / 64});
    answer["costs"] = to_numpy(std::move(result.costs), {rows});
    answer["grid_bits"] = result.grid_bits;
    answer["counted"] = result.counted;
    answer["scored"] = result.scored;
    nb::dict removed;
    removed["R1"] = result.removed.r1;
    removed["R2"] = result.removed.r2;
    removed["R3"] = result.removed.r3;
    removed["C4"] = result.removed.c4;
    removed["R5"] = result.removed.r5;
    removed["R6"] = result.removed.r6;
    answer["removed"] = removed;
    return answer;
}

// What both kinds of data share.
cn::ScoringParams scoring_params(std::size_t n, double epsilon, std::size_t max_parents,
                                 const std::vector<bool>& constant, const NodeLists& required,
                                 const NodeLists& forbidden, const std::vector<std::string>& rules,
                                 unsigned threads, cn::Journal* journal) {
    if (!(epsilon >= 0)) throw nb::value_error("epsilon must not be negative");
    if (constant.size() != n) throw nb::value_error("constant needs one entry per variable");
    if (threads < 1 || threads > 4096) throw nb::value_error("1 to 4096 threads are possible");
    cn::ScoringParams params;
    params.epsilon = epsilon;
    params.rules = rule_switches(rules);
    params.max_parents = max_parents;
    params.constant = constant;
    params.required = node_lists(required, n);
    params.forbidden = node_lists(forbidden, n);
    params.threads = threads;
    params.journal = journal;
    return params;
}

nb::dict score_discrete(const Codes& codes, const std::vector<std::uint32_t>& arities,
                        const Weights& weights, const std::string& score, double ess,
                        double epsilon, std::size_t max_parents, const std::vector<bool>& constant,
                        const NodeLists& required, const NodeLists& forbidden,
                        const std::vector<std::string>& rules, unsigned threads,
                        cn::Control& control, cn::Journal* journal) {
    const auto n = codes.shape(0);
    if (!(ess > 0) || !std::isfinite(ess)) throw nb::value_error("ess must be positive");
    const auto params = scoring_params(n, epsilon, max_parents, constant, required, forbidden,
                                       rules, threads, journal);
    const auto kind = discrete_kind(score);
    auto result = without_lock([&] {
        const auto table = discrete_table(codes, arities, weights, control);
        const auto function = cn::make_discrete_score(kind, table, ess);
        return cn::score_parent_sets(*function, params, control);
    });
    return scoring_result(std::move(result), n);
}

// A copy of the numbers that lasts until their scatter matrix is made.
cn::Scatter checked_scatter(const SharedArray<double, 2>& shared) {
    const Array<double, 2> values(shared);
    if (!std::ranges::all_of(values.values(), [](double value) { return std::isfinite(value); }))
        throw nb::value_error("a value is not finite");
    return cn::Scatter::of(values.data(), values.shape(0), values.shape(1));
}

nb::dict score_continuous(const SharedArray<double, 2>& values, const std::string& score,
                          double alpha_mu, double epsilon, std::size_t max_parents,
                          const std::vector<bool>& constant, const NodeLists& required,
                          const NodeLists& forbidden, const std::vector<std::string>& rules,
                          unsigned threads, cn::Control& control, cn::Journal* journal) {
    const auto rows = values.shape(0), n = values.shape(1);
    if (rows == 0 || n == 0 || n > cn::max_nodes)
        throw nb::value_error("there must be rows, and 1 to 512 variables");
    if (!(alpha_mu > 0) || !std::isfinite(alpha_mu))
        throw nb::value_error("alpha_mu must be positive");
    if (score != "bge" && score != "bic-g")
        throw nb::value_error("unknown score of continuous data");
    const auto params = scoring_params(n, epsilon, max_parents, constant, required, forbidden,
                                       rules, threads, journal);
    try {
        auto result = without_lock([&] {
            const auto scatter = checked_scatter(values);
            const auto kind = score == "bge" ? cn::GaussianKind::bge : cn::GaussianKind::bic_g;
            const auto function = cn::make_gaussian_score(kind, scatter, alpha_mu);
            return cn::score_parent_sets(*function, params, control);
        });
        return scoring_result(std::move(result), n);
    } catch (const cn::LinearlyDependent& error) {
        nb::dict answer;
        answer["dependent"] = error.variable;
        return answer;
    }
}

void bind_scores(nb::module_& m) {
    nb::class_<cn::Journal>(m, "ScoreJournal",
                            "Finished pieces of scoring in a file, for a run that is killed.")
        .def(nb::init<>(), "A journal that keeps nothing until it is opened.")
        .def("open", &cn::Journal::open, "path"_a, "key"_a,
             "Use a file, with what a run of the same key has left in it; whether it works.")
        .def_prop_ro("found", &cn::Journal::found, "How many pieces were found in the file.")
        .def_prop_ro("error", &cn::Journal::error, "Why the file cannot be used; or nothing.");
    m.def("score_discrete", score_discrete, "codes"_a, "arities"_a, "weights"_a, "score"_a, "ess"_a,
          "epsilon"_a, "max_parents"_a, "constant"_a, "required"_a, "forbidden"_a, "rules"_a,
          "threads"_a, "control"_a, "journal"_a.none() = nb::none(),
          "Candidate parent sets of discrete data, with costs in units of the grid.");
    m.def("score_continuous", score_continuous, "values"_a, "score"_a, "alpha_mu"_a, "epsilon"_a,
          "max_parents"_a, "constant"_a, "required"_a, "forbidden"_a, "rules"_a, "threads"_a,
          "control"_a, "journal"_a.none() = nb::none(),
          "The same for continuous data; or just 'dependent', a variable that is a linear "
          "function of others.");
}

// ---- Bounds ----------------------------------------------------------------

template <class A> auto view(const A& array) { return std::span(array.data(), array.size()); }

template <class T> NumpyArray<T> to_numpy(std::vector<T>&& values) {
    const auto count = values.size();
    return to_numpy(std::move(values), {count});
}

nb::tuple order_search(const cn::AnyProblem& problem, unsigned restarts, std::uint64_t seed,
                       const Array<double, 1>& x, cn::Control& control) {
    const Reading held(&problem);
    auto result =
        without_lock([&] { return problem.order_search(restarts, seed, view(x), control); });
    return nb::make_tuple(result.cost, to_numpy(std::move(result.rows)));
}

// So many times that can be added to a cost without overflow, even if it is raised by far more than
// the average.
constexpr cn::Cost max_heat = cn::Cost{1} << 48;

nb::tuple search_neighbourhoods(const cn::AnyProblem& problem, const Array<std::uint32_t, 1>& rows,
                                const Array<double, 1>& x, std::uint64_t work, cn::Cost heat,
                                std::uint64_t seed, cn::Control& control) {
    const Reading held(&problem);
    if (heat < 0 || heat > max_heat) throw nb::value_error("heat must be 0 to 2^48");
    auto result = without_lock([&] {
        return problem.search_neighbourhoods(view(rows), view(x), {work, heat, seed}, control);
    });
    return nb::make_tuple(result.cost, to_numpy(std::move(result.rows)));
}

NumpyArray<std::uint32_t> wide_order(const cn::AnyProblem& problem,
                                     const Array<std::uint32_t, 1>& order,
                                     const Array<double, 1>& weights, std::uint64_t work,
                                     std::uint64_t seed, cn::Control& control) {
    const Reading held(&problem);
    return to_numpy(without_lock(
        [&] { return problem.wide_order(view(order), view(weights), {work, seed}, control); }));
}

nb::tuple found_clusters(cn::FoundClusterList list, std::size_t words) {
    const auto count = list.k.size();
    return nb::make_tuple(to_numpy(std::move(list.members), {count, words}),
                          to_numpy(std::move(list.k)), to_numpy(std::move(list.violation)));
}

nb::tuple violated_clusters(const cn::AnyProblem& problem, const Array<double, 1>& x,
                            std::uint32_t max_k, double least, double most_parallel,
                            std::size_t limit, cn::Control& control) {
    const Reading held(&problem);
    if (max_k < 1 || max_k > 8) throw nb::value_error("max_k must be 1 to 8");
    auto list = without_lock([&] {
        return problem.violated_clusters(view(x), max_k, least, most_parallel, limit, control);
    });
    return found_clusters(std::move(list), problem.words());
}

nb::tuple annealed_clusters(const cn::AnyProblem& problem, const Array<double, 1>& x,
                            std::size_t walks, std::uint64_t seed, double least,
                            double most_parallel, std::size_t limit, cn::Control& control) {
    const Reading held(&problem);
    auto list = without_lock([&] {
        return problem.annealed_clusters(view(x), walks, seed, least, most_parallel, limit,
                                         control);
    });
    return found_clusters(std::move(list), problem.words());
}

nb::tuple subset_program(const cn::AnyProblem& problem, const Array<std::uint32_t, 1>& block,
                         cn::Cost slack, cn::Control& control) {
    const Reading held(&problem);
    auto result = without_lock([&] { return problem.subset_program(view(block), slack, control); });
    return nb::make_tuple(result.optimum ? nb::cast(*result.optimum) : nb::none(),
                          to_numpy(std::move(result.rows)));
}

// Clusters as Python hands them over: words of each, k of each, a value for each.
using Words2 = Array<std::uint64_t, 2>;
using Sizes = Array<std::uint32_t, 1>;
using Costs = Array<cn::Cost, 1>;

nb::tuple subset_search(const cn::AnyProblem& problem, const Sizes& block, const Words2& members,
                        const Sizes& k, const Costs& values, cn::Cost limit, cn::Cost slack,
                        std::uint64_t max_work, cn::Control& control) {
    const Reading held(&problem);
    auto result = without_lock([&] {
        return problem.subset_search(view(block), {{view(members), view(k)}, view(values)}, limit,
                                     slack, max_work, control);
    });
    const auto& optimum = result.program.optimum;
    return nb::make_tuple(result.finished, result.work, optimum ? nb::cast(*optimum) : nb::none(),
                          to_numpy(std::move(result.program.rows)));
}

using Offsets = Array<std::int64_t, 1>;

nb::tuple violated_local_cuts(const cn::AnyProblem& problem, const Array<double, 1>& x,
                              std::size_t variables, std::size_t limit, cn::Control& control) {
    const Reading held(&problem);
    auto list = without_lock(
        [&] { return problem.violated_local_cuts(view(x), variables, limit, control); });
    const auto cuts = list.distance.size(), weights = list.weights.size();
    return nb::make_tuple(to_numpy(std::move(list.members), {cuts, problem.words()}),
                          to_numpy(std::move(list.offsets)), to_numpy(std::move(list.variables)),
                          to_numpy(std::move(list.parents), {weights, problem.words()}),
                          to_numpy(std::move(list.weights)), to_numpy(std::move(list.distance)));
}

cn::LocalCutList local_cuts(const Words2& members, const Offsets& offsets, const Sizes& variables,
                            const Words2& parents, const Sizes& weights) {
    return {view(members), view(offsets), view(variables), view(parents), view(weights)};
}

void bind_local_cuts(nb::class_<cn::AnyProblem>& problem) {
    problem
        .def("violated_local_cuts", violated_local_cuts, "x"_a, "variables"_a, "limit"_a,
             "control"_a,
             "(members, offsets, variables, parents, weights, distance) of local cuts on so many "
             "variables that x breaks.")
        .def(
            "local_cut_coefficients",
            [](const cn::AnyProblem& p, const Sizes& rows, const Words2& members,
               const Offsets& offsets, const Sizes& variables, const Words2& parents,
               const Sizes& weights) {
                const Reading held(&p);
                auto coefficients = without_lock([&] {
                    return p.local_cut_coefficients(
                        view(rows), local_cuts(members, offsets, variables, parents, weights));
                });
                return to_numpy(std::move(coefficients), {rows.size(), offsets.size() - 1});
            },
            "rows"_a, "members"_a, "offsets"_a, "variables"_a, "parents"_a, "weights"_a,
            "The coefficient of each row in each local cut.")
        .def(
            "local_cut_right_sides",
            [](const cn::AnyProblem& p, const Words2& members, const Offsets& offsets,
               const Sizes& variables, const Words2& parents, const Sizes& weights) {
                return to_numpy(without_lock([&] {
                    return p.local_cut_right_sides(
                        local_cuts(members, offsets, variables, parents, weights));
                }));
            },
            "members"_a, "offsets"_a, "variables"_a, "parents"_a, "weights"_a,
            "The right side of each local cut.")
        .def(
            "local_cut_shares",
            [](const cn::AnyProblem& p, const Words2& members, const Offsets& offsets,
               const Sizes& variables, const Words2& parents, const Sizes& weights,
               const Costs& values) {
                const Reading held(&p);
                return to_numpy(without_lock([&] {
                    return p.local_cut_shares(
                        local_cuts(members, offsets, variables, parents, weights), view(values));
                }));
            },
            "members"_a, "offsets"_a, "variables"_a, "parents"_a, "weights"_a, "values"_a,
            "For each row the sum of its coefficients times the values of the local cuts.");
}

void bind_bounds(nb::module_& m) {
    m.attr("max_subset_block") = cn::max_subset_block;
    m.def(
        "subset_program_bytes",
        [](std::size_t n) {
            if (n > cn::max_subset_block)
                throw nb::value_error("the block is too large for subsets");
            return cn::subset_program_bytes(n);
        },
        "n"_a, "Memory that the subset program needs for a block of n variables.");
    nb::class_<cn::AnyProblem> problem(m, "Problem", "Candidate parent sets with integer costs.");
    problem.def("__init__", [](nb::handle) { throw nb::type_error("use Problem.make"); })
        .def_static(
            "make",
            [](const Array<std::int64_t, 1>& offsets, const Array<std::uint64_t, 2>& parents,
               const Array<cn::Cost, 1>& costs) {
                return cn::AnyProblem::make(view(offsets), view(parents), view(costs));
            },
            "offsets"_a, "parents"_a, "costs"_a, "A problem from the arrays of a score table.")
        .def(
            "rows", [](const cn::AnyProblem& p) { return to_numpy(p.rows()); },
            "The rows that are still candidates, ascending.")
        .def(
            "filter",
            [](cn::AnyProblem& p, const Array<std::uint8_t, 1>& keep) {
                const Changing held(&p);
                p.filter(view(keep));
            },
            "keep"_a, "Keep only the candidates whose row is flagged.")
        .def(
            "components", [](const cn::AnyProblem& p) { return to_numpy(p.components()); },
            "The strongly connected component of each variable, parents' first.")
        .def("order_search", order_search, "restarts"_a, "seed"_a, "x"_a, "control"_a,
             "(cost, rows) of a good network; x may be empty.")
        .def("search_neighbourhoods", search_neighbourhoods, "rows"_a, "x"_a, "work"_a, "heat"_a,
             "seed"_a, "control"_a,
             "(cost, rows) of a network near one that is no worse; x may be empty.")
        .def("wide_order", wide_order, "order"_a, "weights"_a, "work"_a, "seed"_a, "control"_a,
             "An order that as much weight of networks fits, or more.")
        .def("violated_clusters", violated_clusters, "x"_a, "max_k"_a, "least"_a, "most_parallel"_a,
             "limit"_a, "control"_a,
             "(members, k, violation) of cluster inequalities that x breaks, by more than the "
             "least.")
        .def("annealed_clusters", annealed_clusters, "x"_a, "walks"_a, "seed"_a, "least"_a,
             "most_parallel"_a, "limit"_a, "control"_a,
             "(members, k, violation) of others, with k = 1, found by annealing.")
        .def(
            "reduced_costs",
            [](const cn::AnyProblem& p, const Words2& members, const Sizes& k,
               const Costs& values) {
                const Reading held(&p);
                return to_numpy(without_lock(
                    [&] { return p.reduced_costs({{view(members), view(k)}, view(values)}); }));
            },
            "members"_a, "k"_a, "values"_a,
            "The cost of each row less the multipliers of the clusters it counts for.")
        .def(
            "counting",
            [](const cn::AnyProblem& p, const Sizes& rows, const Words2& members, const Sizes& k) {
                return to_numpy(p.counting(view(rows), {view(members), view(k)}),
                                {rows.size(), k.size()});
            },
            "rows"_a, "members"_a, "k"_a, "Which rows count for which clusters: 0 or 1.")
        .def("subset_program", subset_program, "block"_a, "slack"_a, "control"_a,
             "(optimum, rows in some network within the slack) of a small block.")
        .def("subset_search", subset_search, "block"_a, "members"_a, "k"_a, "values"_a, "limit"_a,
             "slack"_a, "max_work"_a, "control"_a,
             "(finished, work, optimum, rows) of a larger block, given multipliers.");
    bind_local_cuts(problem);
}

// ---- Enumeration -----------------------------------------------------------

void check_share(double share) {
    if (!(share >= 0 && share <= 1)) throw nb::value_error("a share is between 0 and 1");
}

void tell(const cn::CompilerStatistics& counted, nb::dict& statistics) {
    statistics["complete"] = counted.complete;
    statistics["limited"] = counted.limited;
    statistics["nodes"] = counted.nodes;
    statistics["cache_hits"] = counted.cache_hits;
    statistics["dead_ends"] = counted.dead_ends;
}

nb::object compile_problem(cn::Circuit& circuit, const cn::AnyProblem& problem,
                           const Words2& members, const Sizes& k, const Costs& values,
                           cn::Cost max_cost, std::uint64_t node_limit,
                           std::uint64_t dead_end_limit, bool probing, bool ascending, double share,
                           cn::Control& control, nb::dict statistics) {
    check_share(share);
    const Changing changed(&circuit);
    const Reading read(&problem);
    cn::CompilerStatistics counted;
    const auto node = without_lock([&] {
        return problem.compile({{view(members), view(k)}, view(values)}, max_cost,
                               {node_limit, dead_end_limit, probing, ascending, share}, circuit,
                               control, counted);
    });
    tell(counted, statistics);
    return node ? nb::cast(*node) : nb::none();
}

nb::object compile_layers(cn::Circuit& circuit, const cn::AnyProblem& problem, cn::Cost max_cost,
                          std::uint64_t step_limit, double share, cn::Control& control,
                          nb::dict statistics) {
    check_share(share);
    const Changing changed(&circuit);
    const Reading read(&problem);
    cn::CompilerStatistics counted;
    const auto node = without_lock([&] {
        return problem.compile_layers(max_cost, step_limit, share, circuit, control, counted);
    });
    tell(counted, statistics);
    return node ? nb::cast(*node) : nb::none();
}

std::vector<cn::CircuitNode> checked_nodes(const cn::Circuit& circuit,
                                           const Array<cn::CircuitNode, 1>& nodes) {
    if (nodes.size() == 0) throw nb::value_error("at least one node is needed");
    for (auto node : nodes.values())
        if (node >= circuit.size()) throw nb::value_error("no such node");
    return nodes.values();
}

// Leaves name rows of the table that the costs belong to.
void check_leaves(const cn::Circuit& circuit, std::size_t rows) {
    for (cn::CircuitNode node = 0; node < circuit.size(); ++node)
        if (circuit.kind(node) == cn::Circuit::Kind::leaf && circuit.row(node) >= rows)
            throw nb::value_error("the circuit has rows that the table does not have");
}

void check_rows(const Array<std::int64_t, 1>& offsets, const Array<cn::Cost, 1>& costs) {
    if (offsets.size() < 2 || offsets.size() > cn::max_nodes + 1 || offsets.data()[0] != 0 ||
        offsets.data()[offsets.size() - 1] != static_cast<std::int64_t>(costs.size()) ||
        !std::is_sorted(offsets.data(), offsets.data() + offsets.size()))
        throw nb::value_error("the offsets do not match the candidates");
}

cn::BigUint to_big(const nb::object& number) {
    // Python itself refuses negative numbers here.
    const auto bytes = nb::cast<nb::bytes>(number.attr("to_bytes")(
        (nb::cast<std::size_t>(number.attr("bit_length")()) + 31) / 32 * 4, "little"));
    // A subclass of int may give any number of bytes.
    std::vector<std::uint32_t> limbs(bytes.size() / 4);
    if (!limbs.empty()) std::memcpy(limbs.data(), bytes.c_str(), 4 * limbs.size());
    return cn::BigUint::from_limbs(std::move(limbs));
}

void check_levels(const cn::CompiledSet& set) {
    if (!set.has_levels())
        throw nb::value_error("the set has too many distinct costs to list them");
}

nb::tuple list_networks(const cn::CompiledSet& set, const nb::int_& start, std::size_t count) {
    check_levels(set);
    const auto first = to_big(start);
    std::vector<cn::Cost> costs;
    std::vector<std::int32_t> rows;
    if (count > 0)
        without_lock([&] {
            set.list(first, [&](cn::Cost cost, std::span<const std::uint32_t> network) {
                costs.push_back(cost);
                rows.insert(rows.end(), network.begin(), network.end());
                return costs.size() < count;
            });
        });
    const auto found = costs.size();
    return nb::make_tuple(to_numpy(std::move(costs)),
                          to_numpy(std::move(rows), {found, set.n_variables()}));
}

// The local classes of some variables, with all others as in one network.
nb::dict find_local_classes(const cn::CompiledSet& set, const Array<std::int64_t, 1>& offsets,
                            const Array<cn::Cost, 1>& costs, const Array<std::uint64_t, 2>& parents,
                            const Array<std::uint32_t, 1>& context,
                            const Array<cn::Node, 1>& members, cn::Cost max_cost,
                            std::uint64_t most_steps, std::uint64_t most_classes, unsigned threads,
                            cn::Control& control) {
    check_rows(offsets, costs);
    const auto n = offsets.size() - 1;
    if (n != set.n_variables() || costs.size() != set.n_rows())
        throw nb::value_error("the candidates are not those of the set");
    if (parents.shape(0) != costs.size() || parents.shape(1) != (n + 63) / 64)
        throw nb::value_error("the parent sets do not match the candidates");
    if (threads == 0 || threads > 1024) throw nb::value_error("threads must be 1 to 1024");
    const auto beyond = n % 64 == 0 ? 0 : ~std::uint64_t{0} << (n % 64);
    for (std::size_t row = 1; row <= costs.size(); ++row)
        if (parents.data()[row * parents.shape(1) - 1] & beyond)
            throw nb::value_error("a parent set has a variable that is not there");
    if (context.size() != n) throw nb::value_error("the context needs one row per variable");
    for (std::size_t v = 0; v < n; ++v)
        if (context.data()[v] < offsets.data()[v] || context.data()[v] >= offsets.data()[v + 1])
            throw nb::value_error("the context has a row that is no candidate of its variable");
    for (std::size_t m = 0; m < members.size(); ++m)
        if (members.data()[m] >= n || (m > 0 && members.data()[m] <= members.data()[m - 1]))
            throw nb::value_error("the members must be variables in ascending order");
    auto found = without_lock([&] {
        const auto flat = set.flat();
        const cn::BlockProblem block{flat,           view(offsets),    view(costs),
                                     parents.data(), parents.shape(1), view(context),
                                     view(members)};
        return cn::local_classes(block, max_cost, {most_steps, most_classes}, threads, control);
    });
    nb::dict result;
    const auto count = found.costs.size();
    result["costs"] = to_numpy(std::move(found.costs));
    result["codes"] = to_numpy(std::move(found.codes), {count, members.size()});
    result["rows"] = to_numpy(std::move(found.rows));
    result["leaves"] = found.leaves;
    result["steps"] = found.steps;
    result["complete"] = found.complete;
    return result;
}

nb::tuple flat_arrays(const cn::CompiledSet& set) {
    auto flat = set.flat();
    return nb::make_tuple(to_numpy(std::move(flat.kind)), to_numpy(std::move(flat.first)),
                          to_numpy(std::move(flat.n_children)), to_numpy(std::move(flat.children)));
}

void bind_enumeration(nb::module_& m) {
    nb::class_<cn::Circuit>(m, "Circuit", "Networks in compiled form, while they are found.")
        .def(nb::init<>())
        .def("__len__",
             [](const cn::Circuit& circuit) {
                 const Reading held(&circuit);
                 return circuit.size();
             })
        .def("compile", compile_problem, "problem"_a, "members"_a, "k"_a, "values"_a, "max_cost"_a,
             "node_limit"_a, "dead_end_limit"_a, "probing"_a, "ascending"_a, "share"_a, "control"_a,
             "statistics"_a,
             "Add every network that costs at most `max_cost`; their node, or None.")
        .def("compile_layers", compile_layers, "problem"_a, "max_cost"_a, "step_limit"_a, "share"_a,
             "control"_a, "statistics"_a, "The same, layer by layer: the blocks must be small.")
        .def(
            "absorb",
            [](cn::Circuit& circuit, const cn::Circuit& other, cn::CircuitNode root) {
                const Reading read(&other);
                if (root >= other.size()) throw nb::value_error("no such node");
                if (&circuit == &other) return root;
                const Changing changed(&circuit);
                return without_lock([&] { return circuit.absorb(other, root); });
            },
            "other"_a, "root"_a, "Add a node of another circuit and all below it.")
        .def(
            "nodes_from",
            [](const cn::Circuit& circuit, cn::CircuitNode start) {
                const Reading held(&circuit);
                auto nodes = circuit.nodes_from(start);
                return nb::make_tuple(to_numpy(std::move(nodes.kind)),
                                      to_numpy(std::move(nodes.count)),
                                      to_numpy(std::move(nodes.values)));
            },
            "start"_a, "(kind, count, values) of the nodes from this number on.")
        .def(
            "append",
            [](cn::Circuit& circuit, const Array<std::uint8_t, 1>& kind,
               const Array<std::uint32_t, 1>& count, const Array<std::uint32_t, 1>& values) {
                const Changing held(&circuit);
                circuit.append({kind.values(), count.values(), values.values()});
            },
            "kind"_a, "count"_a, "values"_a, "Add nodes that `nodes_from` gave.")
        .def(
            "choice",
            [](cn::Circuit& circuit, const Array<cn::CircuitNode, 1>& nodes) {
                const Changing held(&circuit);
                return circuit.choice(checked_nodes(circuit, nodes));
            },
            "nodes"_a, "The union of sets that have no network in common.")
        .def(
            "product",
            [](cn::Circuit& circuit, const Array<cn::CircuitNode, 1>& nodes) {
                const Changing held(&circuit);
                return circuit.product(checked_nodes(circuit, nodes));
            },
            "nodes"_a, "The networks of one from each of several sets, of different variables.")
        .def(
            "least_cost",
            [](const cn::Circuit& circuit, cn::CircuitNode node, const Array<cn::Cost, 1>& costs) {
                const Reading held(&circuit);
                if (node >= circuit.size()) throw nb::value_error("no such node");
                check_leaves(circuit, costs.size());
                return cn::least_cost(circuit, node, view(costs));
            },
            "node"_a, "costs"_a, "The cost of the cheapest network of a node.")
        .def(
            "network",
            [](cn::Circuit& circuit, const Array<std::uint32_t, 1>& rows) {
                if (rows.size() == 0) throw nb::value_error("at least one row is needed");
                const Changing held(&circuit);
                std::vector<cn::CircuitNode> leaves;
                for (const auto row : rows.values()) leaves.push_back(circuit.leaf(row));
                return circuit.product(leaves);
            },
            "rows"_a, "The set of one network.");
    nb::class_<cn::CompiledSet>(m, "CompiledSet", "The networks within a cost limit.")
        .def("__init__", [](nb::handle) { throw nb::type_error("use CompiledSet.make"); })
        .def_static(
            "make",
            [](const cn::Circuit& circuit, cn::CircuitNode root,
               const Array<std::int64_t, 1>& offsets, const Array<cn::Cost, 1>& costs,
               cn::Cost max_cost, std::size_t most_levels, std::size_t longest,
               cn::Control& control) {
                check_rows(offsets, costs);
                const Reading held(&circuit);
                if (root >= circuit.size()) throw nb::value_error("no such node");
                check_leaves(circuit, costs.size());
                return without_lock([&] {
                    return cn::CompiledSet::make(circuit, root, view(offsets), view(costs),
                                                 max_cost, {most_levels, longest}, control);
                });
            },
            "circuit"_a, "root"_a, "offsets"_a, "costs"_a, "max_cost"_a, "most_levels"_a,
            "longest"_a, "control"_a, nb::keep_alive<0, 8>(),
            "The networks of a node that cost at most `max_cost`.")
        .def_static(
            "from_arrays",
            [](const Array<std::uint8_t, 1>& kind, const Array<std::uint64_t, 1>& first,
               const Array<std::uint32_t, 1>& n_children, const Array<std::uint32_t, 1>& children,
               const Array<std::int64_t, 1>& offsets, const Array<cn::Cost, 1>& costs,
               cn::Cost max_cost, std::size_t most_levels, std::size_t longest,
               cn::Control& control) {
                check_rows(offsets, costs);
                const cn::FlatCircuit flat{kind.values(), first.values(), n_children.values(),
                                           children.values()};
                return without_lock([&] {
                    return cn::CompiledSet::make(flat, view(offsets), view(costs), max_cost,
                                                 {most_levels, longest}, control);
                });
            },
            "kind"_a, "first"_a, "n_children"_a, "children"_a, "offsets"_a, "costs"_a, "max_cost"_a,
            "most_levels"_a, "longest"_a, "control"_a, nb::keep_alive<0, 10>(),
            "A set from what `to_arrays` gave.")
        .def("to_arrays", flat_arrays, "(kind, first, n_children, children): the circuit.")
        .def_prop_ro("n_nodes", &cn::CompiledSet::n_nodes, "Nodes of the circuit.")
        .def_prop_ro("n_entries", &cn::CompiledSet::n_entries, "Distinct costs, over all nodes.")
        .def(
            "count",
            [](const cn::CompiledSet& set, cn::Cost max_cost, cn::Control& control) {
                const auto counted = without_lock([&] { return set.count(max_cost, control); });
                return nb::make_tuple(to_int(counted.networks), counted.greatest);
            },
            "max_cost"_a, "control"_a,
            "(networks, greatest): how many cost at most `max_cost`, and the most that one costs.")
        .def(
            "levelled_within",
            [](const cn::CompiledSet& set, cn::Cost max_cost, std::size_t most_levels,
               cn::Control& control) {
                if (set.n_nodes() == 0) throw nb::value_error("the set has no networks");
                return without_lock(
                    [&] { return set.levelled_within(max_cost, most_levels, control); });
            },
            "max_cost"_a, "most_levels"_a, "control"_a, nb::keep_alive<0, 4>(),
            "The networks that cost at most `max_cost`, with levels; None if these are too many.")
        .def_prop_ro(
            "least_cost",
            [](const cn::CompiledSet& set) {
                if (set.n_nodes() == 0) throw nb::value_error("the set has no networks");
                return set.least_cost();
            },
            "The cost of the best network.")
        .def_prop_ro("has_levels", &cn::CompiledSet::has_levels,
                     "Whether `levels` and `list` can be had.")
        .def(
            "levels",
            [](const cn::CompiledSet& set) {
                check_levels(set);
                nb::list counts;
                for (const auto& count : set.level_counts()) counts.append(to_int(count));
                return nb::make_tuple(to_numpy(set.level_costs()), counts);
            },
            "(costs, counts): distinct costs, least first, and how many networks have each.")
        .def(
            "candidate_log_weights",
            [](const cn::CompiledSet& set, cn::Cost max_cost, double unit, cn::Control& control) {
                return to_numpy(without_lock(
                    [&] { return set.candidate_log_weights(max_cost, unit, control); }));
            },
            "max_cost"_a, "unit"_a, "control"_a,
            "For each row the log weight of the networks that use it.")
        .def("list", list_networks, "start"_a, "count"_a,
             "(costs, rows) of the networks with ranks from `start`, by cost.")
        .def("local_classes", find_local_classes, "offsets"_a, "costs"_a, "parents"_a, "context"_a,
             "members"_a, "max_cost"_a, "most_steps"_a, "most_classes"_a, "threads"_a, "control"_a,
             "One network per class of some variables, the others as in `context`.");
}

} // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of crediblenet.";
#ifdef NDEBUG
    // What a program's daemon threads still hold when Python ends is no leak of ours, and pages
    // about it on its last screen help nobody; builds for debugging do tell.
    nb::set_leak_warnings(false);
#endif
    m.attr("max_nodes") = cn::max_nodes;
    bind_control(m);
    bind_classes(m);
    bind_scores(m);
    bind_bounds(m);
    bind_enumeration(m);
}
