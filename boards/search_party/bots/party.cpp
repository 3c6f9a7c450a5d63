// A bot for Horror Movie Search Party that plans the whole search before its first move.
//
//     g++ -O2 -std=c++17 -o party party.cpp
//     kb-score play search-party MAP --timeout 600 -- ./party [--rounds N] [--seed N]
//     ./party --map MAP [--rounds N] [--seed N]
//
// With --map it prints the plan instead, as an answer of the challenge has it. The idea is told in
// party.md. The same map, rounds and seed give the same plan.

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using std::max;
using std::min;
using std::string;
using std::vector;

// ---- The world: open cells are numbered from 0; a board with a border holds what is seen. ----

struct Random {
    uint64_t state;
    explicit Random(uint64_t seed) : state(88172645463325252ULL ^ seed * 0x9E3779B97F4A7C15ULL) {}
    uint64_t next() {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return state;
    }
    int below(int limit) { return static_cast<int>((next() >> 33) % limit); }
    double unit() { return ((next() >> 11) + 1) / 9007199254740993.0; }  // above 0, at most 1
};

// People on two cells see each other, or people see a cell, if it is no farther than this.
bool in_sight(int across, int down) { return across * across + down * down < 8; }

struct World {
    static constexpr int BORDER = 3;
    static constexpr size_t MOST_DISTANCES = 300u << 20;  // how many are kept; two bytes each
    int stride, start = -1;
    vector<int> place;                    // of a cell on the board, and back; -1 is an obstacle
    vector<int> cell;
    vector<vector<int>> steps;            // the cells to stand on after one move
    vector<vector<int>> view;             // the open cells in sight
    std::array<int, 21> sight{};          // the offsets on the board that are in sight
    vector<vector<uint16_t>> distances;   // from a cell to all others; empty if not worked out
    size_t known = 0;

    World(const vector<string>& rows, int start_x, int start_y) {
        int width = static_cast<int>(rows[0].size()), height = static_cast<int>(rows.size());
        stride = width + 2 * BORDER;
        cell.assign(stride * (height + 2 * BORDER), -1);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                if (rows[y][x] != '#') {
                    int at = (y + BORDER) * stride + x + BORDER;
                    if (x == start_x && y == start_y) start = static_cast<int>(place.size());
                    cell[at] = static_cast<int>(place.size());
                    place.push_back(at);
                }
        if (start < 0) throw std::runtime_error("the start is not an open cell");
        size_t count = 0;
        for (int y = -2; y <= 2; y++)
            for (int x = -2; x <= 2; x++)
                if (in_sight(x, y)) sight[count++] = y * stride + x;
        steps.resize(size()), view.resize(size()), distances.resize(size());
        for (int c = 0; c < size(); c++) {
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    if (int to = cell[place[c] + y * stride + x]; to >= 0) steps[c].push_back(to);
            for (int offset : sight)
                if (int to = cell[place[c] + offset]; to >= 0) view[c].push_back(to);
        }
    }
    int size() const { return static_cast<int>(place.size()); }
    bool sees(int one, int other) const {
        return in_sight(place[one] % stride - place[other] % stride,
                        place[one] / stride - place[other] / stride);
    }
    const uint16_t* from(int source) {
        vector<uint16_t>& far = distances[source];
        if (!far.empty()) return far.data();
        known += size();
        far.assign(size(), UINT16_MAX);
        far[source] = 0;
        vector<int> reached{source};
        reached.reserve(size());
        for (size_t i = 0; i < reached.size(); i++)
            for (int next : steps[reached[i]])
                if (far[next] == UINT16_MAX) {
                    far[next] = far[reached[i]] + 1;
                    reached.push_back(next);
                }
        return far.data();
    }
    // Call it only where no pointer of `from` is in use.
    void forget() {
        if (known <= MOST_DISTANCES) return;
        for (vector<uint16_t>& far : distances) vector<uint16_t>().swap(far);
        known = 0;
    }
};

// ---- A plan: each group has a leading and a following part, in sight of each other. ----

struct State {
    int lead, follow;  // the cells of both parts
    bool operator==(const State& other) const {
        return lead == other.lead && follow == other.follow;
    }
};

// A stop of a route: a state, and the way to it from the stop before (without that, with this one).
struct Stop {
    State state;
    int way, length;
};

struct Route {
    bool single;  // the parts are one: everybody is on the same cell
    vector<Stop> stops;
    int length = 0;
};

struct Plan {
    int turns = INT_MAX;
    vector<vector<State>> groups;  // the states of each group, from turn 1 on
};

class Planner {
public:
    Planner(World& world, const vector<bool>& singles, uint64_t seed, double even)
        : world(world), random(seed), even(even), power(even),
          seen(world.cell.size(), BLOCKED), slot(world.cell.size()) {
        for (int at : world.place) seen[at] = 0, slot[at] = unseen.size(), unseen.push_back(at);
        look(world.start);
        for (bool single : singles)
            routes.push_back({single, {{{world.start, world.start}, -1, 0}}, 0});
        weight.assign(routes.size(), 1);
        marks.assign(world.size() * 25L, {0, 0, 0});
    }

    // Anneal: take a part of some routes away, search again what is then unseen, keep it or not.
    Plan search(long rounds) {
        recreate(INT_MAX);
        commit();
        keep();
        double cost = 0;
        for (long round = 0; round < rounds; round++) {
            double done = static_cast<double>(round) / rounds;
            double heat = HOT * std::pow(COLD / HOT, done);
            if (round % 500 == 0) power = even * std::pow(EVENER / even, done), cost = measure();
            world.forget();
            ruin();
            recreate(MOST_FAILURES);
            double changed = measure();
            if (changed < cost - heat * std::log(random.unit()))
                cost = changed, commit(), keep();
            else
                rollback();
        }
        return best;
    }

private:
    static constexpr uint16_t BLOCKED = 30000;
    static constexpr double HOT = 5, COLD = 0.1;        // turns, at the beginning and at the end
    static constexpr double EVENER = 60;                // the power of the mean, at the end
    static constexpr double PENALTY = 20, WORTH = 0.1;  // of a cell unseen, of one newly seen
    static constexpr int MOST_FAILURES = 30, MOST_REMOVED = 15, MOST_TOGETHER = 10;
    static constexpr int MOST_PLACES = 10, MOST_VIEWS = 8, MOST_TRIES = 3;
    static constexpr int LONG_WAY = 7, SHORT_WAY = 4;
    static constexpr int MOST_DETOUR = 20, MOST_STATES = 10000;

    World& world;
    Random random;
    double even, power;       // the power of the mean of the lengths, at the beginning and now
    vector<uint16_t> seen;    // how often each place is seen; obstacles are never unseen
    vector<int> unseen, slot;  // the places to see, and where each stands among them
    vector<Route> routes;
    vector<vector<State>> ways;
    vector<int> unused;  // numbers of ways
    vector<double> weight;  // of each route: what a turn more costs
    Plan best;
    // What this round has changed.
    vector<int> added, removed;
    vector<std::pair<int, Route>> saved;

    struct Mark {
        int search, turns, from;
    };
    vector<Mark> marks;  // of the states of two parts, for find_way
    int searches = 0;

    // -- What is seen --

    void look(int cell) {
        for (int offset : world.sight) {
            int at = world.place[cell] + offset;
            if (seen[at]++) continue;
            int last = unseen.back();
            unseen[slot[at]] = last, slot[last] = slot[at];
            unseen.pop_back();
        }
    }
    void unlook(int cell) {
        for (int offset : world.sight) {
            int at = world.place[cell] + offset;
            if (--seen[at] == 0) slot[at] = static_cast<int>(unseen.size()), unseen.push_back(at);
        }
    }
    int count_new(int cell) const {
        int count = 0;
        for (int offset : world.sight) count += seen[world.place[cell] + offset] == 0;
        return count;
    }
    int count_new(State state) const {
        return count_new(state.lead) + (state.follow == state.lead ? 0 : count_new(state.follow));
    }
    void look(State state) {
        look(state.lead);
        if (state.follow != state.lead) look(state.follow);
    }
    void unlook(State state) {
        unlook(state.lead);
        if (state.follow != state.lead) unlook(state.follow);
    }

    // -- Ways --

    int new_way() {
        if (unused.empty()) {
            ways.emplace_back();
            return static_cast<int>(ways.size()) - 1;
        }
        int way = unused.back();
        unused.pop_back();
        ways[way].clear();
        return way;
    }
    int length(int way) const { return static_cast<int>(ways[way].size()); }
    void look_along(int way) {
        for (State state : ways[way]) look(state);
    }
    void unlook_along(int way) {
        for (State state : ways[way]) unlook(state);
    }
    void discard(int way) {
        unlook_along(way);
        unused.push_back(way);
    }

    // Go from a state to another in the fewest turns, and look around. Of all next states take the
    // one that sees most; if this parts the group, fall back on a search. -1 if there is no way.
    int go(State from, State to, bool single) {
        const uint16_t *lead_left = world.from(to.lead), *follow_left = world.from(to.follow);
        int turns = max(lead_left[from.lead], follow_left[from.follow]);
        int way = new_way();
        State now = from;
        for (int left = turns - 1; left >= 0; left--) {
            std::array<std::pair<int, int>, 9> leads, follows;  // cell, what is newly seen from it
            int lead_count = 0, follow_count = 0, highest = -1;
            for (int cell : world.steps[now.lead])
                if (lead_left[cell] <= left) leads[lead_count++] = {cell, count_new(cell)};
            for (int cell : world.steps[now.follow])
                if (follow_left[cell] <= left && !single)
                    follows[follow_count++] = {cell, count_new(cell)};
            State next{};
            auto rate = [&](State state, int news) {
                int value = news * 64 + random.below(64);  // a tie is broken at random
                if (value > highest) highest = value, next = state;
            };
            for (int i = 0; i < lead_count; i++) {
                auto [lead, news] = leads[i];
                if (single) rate({lead, lead}, news);
                for (int j = 0; j < follow_count; j++)
                    if (auto [follow, more] = follows[j]; world.sees(lead, follow))
                        rate({lead, follow}, news + (lead == follow ? 0 : more));
            }
            if (highest < 0) {
                unlook_along(way), ways[way].clear();
                if (find_way(from, to, turns + MOST_DETOUR, ways[way])) {
                    look_along(way);
                    return way;
                }
                unused.push_back(way);
                return -1;
            }
            look(next), ways[way].push_back(next);
            now = next;
        }
        return way;
    }

    int number(State state) const {
        int offset = world.place[state.follow] - world.place[state.lead] + 2 * world.stride + 2;
        return state.lead * 25 + offset / world.stride * 5 + offset % world.stride;
    }
    State state_of(int number) const {
        int lead = number / 25, offset = number % 25;
        int at = world.place[lead] + (offset / 5 - 2) * world.stride + offset % 5 - 2;
        return {lead, world.cell[at]};
    }

    // A* over the states of a group; the parts keep in sight of each other.
    bool find_way(State from, State to, int most, vector<State>& way) {
        const uint16_t *lead_left = world.from(to.lead), *follow_left = world.from(to.follow);
        auto estimate = [&](State s) { return max(lead_left[s.lead], follow_left[s.follow]); };
        vector<vector<int>> open(most + 1);  // by the estimated turns of the whole way
        int begin = number(from), end = number(to), visited = 0;
        marks[begin] = {++searches, 0, -1};
        open[estimate(from)].push_back(begin);
        for (int bound = estimate(from); bound <= most;) {
            if (open[bound].empty()) {
                bound++;
                continue;
            }
            int at = open[bound].back();
            open[bound].pop_back();
            State now = state_of(at);
            int turns = marks[at].turns;
            if (turns + estimate(now) != bound) continue;  // a shorter way to it was found
            if (at == end) {
                for (int s = at; s != begin; s = marks[s].from) way.push_back(state_of(s));
                std::reverse(way.begin(), way.end());
                return true;
            }
            if (++visited > MOST_STATES) return false;
            for (int lead : world.steps[now.lead])
                for (int follow : world.steps[now.follow]) {
                    State next{lead, follow};
                    if (turns + 1 + estimate(next) > most || !world.sees(lead, follow)) continue;
                    Mark& mark = marks[number(next)];
                    if (mark.search == searches && mark.turns <= turns + 1) continue;
                    mark = {searches, turns + 1, at};
                    open[turns + 1 + estimate(next)].push_back(number(next));
                }
        }
        return false;
    }

    // -- Rounds --

    double mean() const {
        double sum = 0;
        for (const Route& route : routes) sum += std::pow(static_cast<double>(route.length), power);
        return max(1.0, std::pow(sum / routes.size(), 1 / power));
    }
    double measure() const { return mean() * routes.size() + PENALTY * unseen.size(); }
    void weigh() {
        double even = mean();
        for (size_t i = 0; i < routes.size(); i++)
            weight[i] = min(8.0, max(0.05, std::pow(routes[i].length / even, power - 1)));
    }
    void save(int index) {
        for (const auto& [other, route] : saved)
            if (other == index) return;
        saved.emplace_back(index, routes[index]);
    }
    void commit() {
        for (int way : removed) unused.push_back(way);
        for (const auto& [index, route] : saved) split(routes[index]);
        added.clear(), removed.clear(), saved.clear();
    }
    void rollback() {
        auto holds = [](const vector<int>& list, int way) {
            return std::find(list.begin(), list.end(), way) != list.end();
        };
        for (auto& [index, route] : saved)
            for (const Stop& stop : routes[index].stops)
                if (holds(added, stop.way)) unlook_along(stop.way);
        for (auto& [index, route] : saved) {
            for (const Stop& stop : route.stops)
                if (holds(removed, stop.way)) look_along(stop.way);
            routes[index] = route;
        }
        for (int way : added) unused.push_back(way);
        added.clear(), removed.clear(), saved.clear();
    }
    void keep() {
        int turns = 0;
        for (const Route& route : routes) turns = max(turns, route.length);
        if (!unseen.empty() || turns >= best.turns) return;
        best = {turns, {}};
        for (const Route& route : routes) {
            vector<State> states;
            for (const Stop& stop : route.stops)
                if (stop.way >= 0)
                    states.insert(states.end(), ways[stop.way].begin(), ways[stop.way].end());
            best.groups.push_back(states);
        }
        shorten(best);
    }

    // Leave out what a plan still does when everything is seen.
    void shorten(Plan& plan) {
        vector<State> gone;
        for (; plan.turns > 0; plan.turns--) {
            size_t before = gone.size();
            for (const vector<State>& states : plan.groups)
                if (static_cast<int>(states.size()) == plan.turns) gone.push_back(states.back());
            for (size_t i = before; i < gone.size(); i++) unlook(gone[i]);
            if (!unseen.empty()) break;
            for (vector<State>& states : plan.groups)
                if (static_cast<int>(states.size()) == plan.turns) states.pop_back();
        }
        for (State state : gone) look(state);  // the routes go on as they are
    }

    // Put stops along long ways, so that a round may take away a part of them.
    void split(Route& route) {
        for (size_t i = 1; i < route.stops.size(); i++) {
            if (route.stops[i].length <= LONG_WAY) continue;
            unused.push_back(route.stops[i].way);
            vector<State> whole = ways[route.stops[i].way];
            int all = static_cast<int>(whole.size()), parts = (all + SHORT_WAY - 1) / SHORT_WAY;
            vector<Stop> stops;
            for (int part = 0; part < parts; part++) {
                int begin = all * part / parts, end = all * (part + 1) / parts, way = new_way();
                ways[way].assign(whole.begin() + begin, whole.begin() + end);
                stops.push_back({whole[end - 1], way, end - begin});
            }
            route.stops.erase(route.stops.begin() + i);
            route.stops.insert(route.stops.begin() + i, stops.begin(), stops.end());
            i += stops.size() - 1;
        }
    }

    // Take some stops away, of the routes that come nearest to a cell.
    void ruin() {
        bool open = !unseen.empty() && random.below(2);
        int centre = open ? world.cell[unseen[random.below(static_cast<int>(unseen.size()))]]
                          : random.below(world.size());
        const uint16_t* far = world.from(centre);
        vector<std::array<int, 3>> nearest;
        for (int r = 0; r < static_cast<int>(routes.size()); r++) {
            const vector<Stop>& stops = routes[r].stops;
            std::array<int, 3> found{INT_MAX, r, 0};
            for (int i = 1; i < static_cast<int>(stops.size()); i++)
                found = min(found, {16 * far[stops[i].state.lead] + random.below(16), r, i});
            if (found[2]) nearest.push_back(found);
        }
        std::sort(nearest.begin(), nearest.end());
        int left = 1 + random.below(MOST_REMOVED);
        bool all_of_first = random.below(2);
        for (auto [distance, r, stop] : nearest) {
            if (left <= 0) break;
            int count = static_cast<int>(routes[r].stops.size()) - 1;
            int some = min(1 + random.below(min(left, MOST_TOGETHER)), count);
            if (all_of_first) some = min(left, count), all_of_first = false;
            int begin = max(1, min(stop - random.below(some), count - some + 1));
            take_away(r, begin, begin + some);
            left -= some;
        }
    }

    // Take away the stops of a route from begin to before end, and go straight on after them.
    void take_away(int index, int begin, int end) {
        save(index);
        Route& route = routes[index];
        vector<Stop>& stops = route.stops;
        bool last = end == static_cast<int>(stops.size());
        int before = 0;
        for (int i = begin; i < end + !last; i++) {
            unlook_along(stops[i].way);
            removed.push_back(stops[i].way);
            before += stops[i].length;
        }
        route.length -= before;
        if (!last) {
            int way = go(stops[begin - 1].state, stops[end].state, route.single);
            if (way < 0 || length(way) > before) {  // rather on the old way, without its stops
                if (way >= 0) discard(way);
                way = new_way();
                for (int i = begin; i <= end; i++)
                    for (State state : ways[stops[i].way]) ways[way].push_back(state);
                look_along(way);
            }
            added.push_back(way);
            stops[end].way = way, stops[end].length = length(way);
            route.length += length(way);
        }
        stops.erase(stops.begin() + begin, stops.begin() + end);
    }

    // Search all that is unseen, in any order.
    void recreate(int most_failures) {
        vector<int> places = unseen;
        int failures = 0;
        for (size_t i = places.size(); i > 0 && failures < most_failures; i--) {
            std::swap(places[i - 1], places[random.below(static_cast<int>(i))]);
            if (!seen[places[i - 1]] && !insert(world.cell[places[i - 1]])) failures++;
        }
    }

    struct Insertion {
        double cost;
        int route, stop;
        State state;
    };

    // Add a stop in sight of a cell to the route and at the place where it costs least.
    bool insert(int cell) {
        world.forget();
        weigh();
        vector<Insertion> choices;
        for (const Insertion& place : list_places(cell))
            if (Insertion found = choose_state(cell, place); found.cost < INT_MAX)
                choices.push_back(found);
        std::sort(choices.begin(), choices.end(),
                  [](const Insertion& a, const Insertion& b) { return a.cost < b.cost; });
        for (size_t i = 0; i < choices.size() && i < MOST_TRIES; i++)
            if (carry_out(choices[i])) return true;
        return false;
    }

    // List the places in routes that are nearest to a cell, by a lower bound of the cost.
    vector<Insertion> list_places(int cell) {
        const uint16_t* far = world.from(cell);
        vector<Insertion> places;
        for (int r = 0; r < static_cast<int>(routes.size()); r++) {
            const vector<Stop>& stops = routes[r].stops;
            for (int i = 1; i <= static_cast<int>(stops.size()); i++) {
                int detour = far[stops[i - 1].state.lead] - 4;
                if (i < static_cast<int>(stops.size()))
                    detour += far[stops[i].state.lead] - 4 - stops[i].length;
                places.push_back({2 * max(detour, 0) * weight[r] + random.unit(), r, i, {}});
            }
        }
        auto cheaper = [](const Insertion& a, const Insertion& b) { return a.cost < b.cost; };
        if (places.size() > MOST_PLACES) {
            std::nth_element(places.begin(), places.begin() + MOST_PLACES, places.end(), cheaper);
            places.resize(MOST_PLACES);
        }
        return places;
    }

    // Choose a state in sight of a cell that costs little at a place of a route.
    Insertion choose_state(int cell, const Insertion& place) {
        const Route& route = routes[place.route];
        bool last = place.stop == static_cast<int>(route.stops.size());
        const Stop& before = route.stops[place.stop - 1];
        const Stop& after = last ? before : route.stops[place.stop];
        const uint16_t* lead0 = world.from(before.state.lead);
        const uint16_t* lead1 = world.from(after.state.lead);
        const uint16_t* follow0 = world.from(before.state.follow);
        const uint16_t* follow1 = world.from(after.state.follow);
        Insertion best{INT_MAX, place.route, place.stop, {}};
        auto rate = [&](State state) {
            int detour = max(lead0[state.lead], follow0[state.follow]);
            if (!last) detour += max(lead1[state.lead], follow1[state.follow]) - after.length;
            double cost = detour * weight[place.route];
            if (cost - 42 * WORTH > best.cost) return;
            cost += random.unit() / 2 - WORTH * count_new(state);
            if (cost < best.cost) best.cost = cost, best.state = state;
        };
        const vector<int>& views = world.view[cell];
        int count = static_cast<int>(views.size()), first = random.below(count);
        for (int k = 0; k < min(count, MOST_VIEWS); k++) {
            int at = views[(first + 5 * k) % count];
            rate({at, at});
            if (route.single) continue;
            // The other part may stand as it does at the stop before or after, or anywhere.
            for (State near : {before.state, after.state}) {
                int offset = world.place[near.follow] - world.place[near.lead];
                if (int to = world.cell[world.place[at] + offset]; to >= 0) rate({at, to});
                if (int to = world.cell[world.place[at] - offset]; to >= 0) rate({to, at});
            }
            int mate = world.view[at][random.below(static_cast<int>(world.view[at].size()))];
            rate({at, mate}), rate({mate, at});
        }
        return best;
    }

    bool carry_out(const Insertion& choice) {
        save(choice.route);
        Route& route = routes[choice.route];
        bool last = choice.stop == static_cast<int>(route.stops.size());
        const Stop after = last ? Stop{{}, -1, 0} : route.stops[choice.stop];
        if (!last) unlook_along(after.way);
        int first = go(route.stops[choice.stop - 1].state, choice.state, route.single), second = -1;
        if (first >= 0 && !last) second = go(choice.state, after.state, route.single);
        if (first < 0 || (!last && second < 0)) {
            if (first >= 0) discard(first);
            if (!last) look_along(after.way);
            return false;
        }
        added.push_back(first);
        route.length += length(first);
        if (!last) {
            removed.push_back(after.way), added.push_back(second);
            route.length += length(second) - after.length;
            route.stops[choice.stop] = {after.state, second, length(second)};
        }
        route.stops.insert(route.stops.begin() + choice.stop, {choice.state, first, length(first)});
        return true;
    }
};

// ---- People: who goes with whom, so that nobody ever dies. ----

struct Group {
    string leaders, followers;  // the names of both parts; nobody follows in a single group
};

// A costar lives with anybody, an extra with a costar or with two other extras. So there are groups
// of a costar and an extra, of two costars, and of two extras and a third. Who is left goes with
// the star, who could go alone.
vector<Group> form_groups(string costars, string extras) {
    auto take = [](string& names) {
        string last(1, names.back());
        names.pop_back();
        return last;
    };
    vector<Group> groups;
    while (!costars.empty() && !extras.empty()) groups.push_back({take(costars), take(extras)});
    while (costars.size() > 1) groups.push_back({take(costars), take(costars)});
    while (extras.size() > 2) groups.push_back({take(extras) + take(extras), take(extras)});
    groups.push_back({"@", costars + extras});
    return groups;
}

struct Game {
    vector<string> rows;
    string costars, extras;
    int x = 0, y = 0;
};

// The best of some plans that begin anew: chance matters, most of all at the beginning.
Plan plan_best(World& world, const vector<Group>& groups, long rounds, uint64_t seed) {
    constexpr int STARTS = 4;
    vector<bool> singles;
    for (const Group& group : groups) singles.push_back(group.followers.empty());
    Plan best;
    for (int start = 0; start < STARTS; start++) {
        double even = start % 2 ? 4 : 8;
        Plan plan = Planner(world, singles, STARTS * seed + start, even).search(rounds / STARTS);
        if (plan.turns < best.turns) best = plan;
    }
    return best;
}

// Plan the lines of moves of a whole game.
vector<string> plan_game(const Game& game, long rounds, uint64_t seed) {
    World world(game.rows, game.x, game.y);
    vector<Group> groups = form_groups(game.costars, game.extras);
    Plan plan = plan_best(world, groups, rounds, seed);
    if (plan.turns == INT_MAX) {  // some group could not keep together: all go on one cell
        groups = {{"@" + game.costars + game.extras, ""}};
        plan = plan_best(world, groups, rounds, seed);
    }
    vector<string> lines;
    vector<State> now(groups.size(), {world.start, world.start});
    for (int turn = 0; turn < plan.turns; turn++) {
        string line;
        auto move = [&](const string& names, int from, int to) {
            int step = world.place[to] - world.place[from] + world.stride + 1;
            char direction = "789456123"[step / world.stride * 3 + step % world.stride];
            for (char who : names)
                if (from != to) line += (line.empty() ? "" : " ") + string{who, direction};
        };
        for (size_t i = 0; i < groups.size(); i++) {
            if (turn >= static_cast<int>(plan.groups[i].size())) continue;
            State next = plan.groups[i][turn];
            move(groups[i].leaders, now[i].lead, next.lead);
            move(groups[i].followers, now[i].follow, next.follow);
            now[i] = next;
        }
        lines.push_back(line + ".");
    }
    return lines;
}

// ---- The outside world ----

string first_names(char first, int count) {
    string names;
    for (int i = 0; i < count; i++) names += static_cast<char>(first + i);
    return names;
}

long read_number(const string& option, const string& text) {
    bool digits = text.find_first_not_of("0123456789") == string::npos;
    if (text.empty() || !digits || text.size() > 9)
        throw std::runtime_error(option + " takes a number, not " + text);
    return std::stol(text);
}

Game read_map(std::istream& input) {
    Game game;
    int columns = 0, height = 0, costars = 0, extras = 0;
    bool header = static_cast<bool>(input >> columns >> height >> costars >> extras);
    bool sizes = min(columns, height) > 0 && max(columns, height) <= 256;
    if (!header || !sizes || min(costars, extras) < 0 || max(costars, extras) > 26)
        throw std::runtime_error("a map begins with columns, rows, costars and extras");
    game.rows.resize(height);
    int starts = 0;
    for (int y = 0; y < height; y++) {
        if (!(input >> game.rows[y]) || static_cast<int>(game.rows[y].size()) != columns)
            throw std::runtime_error("row " + std::to_string(y) + " of the map has a wrong length");
        if (size_t x = game.rows[y].find('S'); x != string::npos)
            game.x = static_cast<int>(x), game.y = y, starts++;
    }
    if (!starts) throw std::runtime_error("the map has no S");
    game.costars = first_names('A', costars), game.extras = first_names('a', extras);
    return game;
}

// Read what the controller says before a turn; false when the game is over.
bool read_turn(std::istream& input, Game& game) {
    string line, person;
    if (!std::getline(input, line) || line.rfind("Turn", 0) != 0) return false;
    game = Game();
    std::getline(input, line);
    std::istringstream people(line);
    while (people >> person) {  // such as A:2,3
        if (person[0] == '@') std::sscanf(person.c_str(), "@:%d,%d", &game.x, &game.y);
        else (person[0] < 'a' ? game.costars : game.extras) += person[0];
    }
    while (std::getline(input, line) && line.rfind("-", 0) != 0) game.rows.push_back(line);
    return true;
}

int main(int argc, char** argv) try {
    long rounds = 100000;
    uint64_t seed = 1;
    string map;
    for (int i = 1; i < argc; i += 2) {
        string option = argv[i];
        if (i + 1 == argc) throw std::runtime_error("no value follows " + option);
        if (option == "--rounds") rounds = read_number(option, argv[i + 1]);
        else if (option == "--seed") seed = read_number(option, argv[i + 1]);
        else if (option == "--map") map = argv[i + 1];
        else throw std::runtime_error("the options are --map, --rounds and --seed, not " + option);
    }
    Game game;
    if (!map.empty()) {
        std::ifstream file(map);
        if (!file) throw std::runtime_error("cannot read " + map);
        game = read_map(file);
        vector<string> lines = plan_game(game, rounds, seed);
        for (const string& line : lines) std::cout << line << "\n";
        std::cout << lines.size() << " " << game.costars.size() << " " << game.extras.size()
                  << "\n";
        return 0;
    }
    vector<string> lines;
    for (size_t turn = 0; read_turn(std::cin, game); turn++) {
        if (turn == 0) lines = plan_game(game, rounds, seed);
        std::cout << (turn < lines.size() ? lines[turn] : ".") << std::endl;
    }
    return 0;
} catch (const std::exception& error) {
    std::cerr << "party: " << error.what() << "\n";
    return 2;
}
