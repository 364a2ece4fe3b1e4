// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: binding and reading of names, read off the syntax tree.
#include "modalities/code/syntax/variables.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace relbias::modalities {
namespace {

struct Rules {
  std::vector<bool> scope, pattern, not_local, identifier;
  std::vector<std::pair<std::vector<bool>, uint16_t>> bindings, not_variables;

  static const Rules& of(const Language& language) {
    static const std::vector<Rules> all = [] {
      std::vector<Rules> rules;
      for (const Language& each : languages()) rules.push_back(Rules(each));
      return rules;
    }();
    return all[static_cast<size_t>(&language - languages().data())];
  }

  static bool among(const std::vector<std::pair<std::vector<bool>, uint16_t>>& places,
                    uint16_t type_around, uint16_t field) {
    return std::any_of(places.begin(), places.end(), [&](const auto& place) {
      return place.first[type_around] && place.second == field;
    });
  }

 private:
  explicit Rules(const Language& language)
      : scope(types_named(language, language.scopes.scopes)),
        pattern(types_named(language, language.scopes.patterns)),
        not_local(types_named(language, language.scopes.not_local)),
        identifier(types_named(language, {"identifier"})) {
    const auto places = [&](const auto& words) {
      std::vector<std::pair<std::vector<bool>, uint16_t>> found;
      for (const auto& [type, field] : words) {
        found.emplace_back(types_named(language, {type}), field_named(language, field));
      }
      return found;
    };
    bindings = places(language.scopes.bindings);
    not_variables = places(language.scopes.not_variables);
  }
};

enum class Role { read, bound, none, foreign };  // foreign: declared as another scope's

size_t outermost_pattern(const SyntaxTree& tree, const Rules& rules, size_t node) {
  const auto& nodes = tree.nodes;
  while (nodes[node].parent > 0 &&
         rules.pattern[nodes[static_cast<size_t>(nodes[node].parent)].type]) {
    node = static_cast<size_t>(nodes[node].parent);
  }
  return node;
}

Role role_of(const SyntaxTree& tree, const Rules& rules, size_t node) {
  const auto& nodes = tree.nodes;
  node = outermost_pattern(tree, rules, node);
  if (nodes[node].parent < 0) return Role::none;
  const uint16_t around = nodes[static_cast<size_t>(nodes[node].parent)].type;
  const uint16_t field = nodes[node].field;
  if (rules.not_local[around]) return Role::foreign;
  if (Rules::among(rules.not_variables, around, field)) return Role::none;
  return Rules::among(rules.bindings, around, field) ? Role::bound : Role::read;
}

// A binding holds behind the node that makes it, or in its block: the body of a loop.
int32_t binds_from(const SyntaxTree& tree, const Rules& rules, size_t node) {
  const auto around =
      static_cast<size_t>(std::max(tree.nodes[outermost_pattern(tree, rules, node)].parent, 0));
  const std::vector<bool>& block = kinds_of(*tree.language).block;
  const size_t end = tree.end_of(around);
  while (node < end && !block[tree.nodes[node].type]) ++node;
  return static_cast<int32_t>(node);
}

// By node: the scope it stands in, itself a node; the function is node 0.
std::vector<int32_t> scopes_of(const SyntaxTree& tree, const Rules& rules) {
  std::vector<int32_t> scopes(tree.nodes.size());
  for (size_t node = 1; node < tree.nodes.size(); ++node) {
    const auto parent = static_cast<size_t>(tree.nodes[node].parent);
    const bool opens = parent > 0 && rules.scope[tree.nodes[parent].type];
    scopes[node] = opens ? static_cast<int32_t>(parent) : scopes[parent];
  }
  return scopes;
}

struct Named {
  int32_t node;
  std::string_view name;
  Role role;
  int32_t scope;
};

}  // namespace

Variables local_variables(const Snippet& snippet) {
  const SyntaxTree& tree = snippet.tree;
  const Rules& rules = Rules::of(*tree.language);
  const std::vector<int32_t> scopes = scopes_of(tree, rules);
  std::vector<Named> found;
  std::set<std::pair<int32_t, std::string_view>> bound;
  std::set<std::string_view> foreign;
  for (const int32_t token : snippet.tokens) {
    const auto node = static_cast<size_t>(token);
    if (!rules.identifier[tree.nodes[node].type] || tree.text(node).empty()) continue;
    const Named named{token, tree.text(node), role_of(tree, rules, node), scopes[node]};
    if (named.role == Role::none) continue;
    if (named.role == Role::bound) bound.emplace(named.scope, named.name);
    if (named.role == Role::foreign) foreign.insert(named.name);
    found.push_back(named);
  }
  // The innermost scope that binds the name; 0 is the function.
  const auto resolves_to_function = [&](const Named& named) {
    int32_t scope = named.scope;
    while (scope > 0 && bound.count({scope, named.name}) == 0) {
      scope = scopes[static_cast<size_t>(scope)];
    }
    return scope == 0 && bound.count({0, named.name}) > 0;
  };
  Variables variables;
  std::map<std::string_view, int32_t> numbers;
  for (const Named& named : found) {
    if (foreign.count(named.name) > 0 || !resolves_to_function(named)) continue;
    const auto [number, is_new] =
        numbers.emplace(named.name, static_cast<int32_t>(variables.names.size()));
    if (is_new) variables.names.emplace_back(named.name);
    variables.occurrences.push_back({named.node, number->second, named.role == Role::read,
                                     binds_from(tree, rules, static_cast<size_t>(named.node))});
  }
  return variables;
}

std::vector<int32_t> Variables::bound_from() const {
  std::vector<int32_t> from(names.size(), std::numeric_limits<int32_t>::max());
  for (const Occurrence& found : occurrences) {
    int32_t& first = from[static_cast<size_t>(found.variable)];
    if (!found.read) first = std::min(first, found.from);
  }
  return from;
}

std::vector<size_t> Variables::first_before(size_t occurrence) const {
  const std::vector<int32_t> from = bound_from();
  std::vector<size_t> found;
  std::vector<bool> seen(names.size());
  for (size_t n = 0; n < occurrence; ++n) {
    const auto variable = static_cast<size_t>(occurrences[n].variable);
    if (!seen[variable] && from[variable] <= occurrences[occurrence].node) found.push_back(n);
    seen[variable] = true;
  }
  return found;
}

std::vector<size_t> Variables::latest_before(size_t occurrence) const {
  const std::vector<int32_t> from = bound_from();
  std::vector<size_t> found;
  std::vector<bool> seen(names.size());
  for (size_t n = occurrence; n-- > 0;) {
    const auto variable = static_cast<size_t>(occurrences[n].variable);
    if (!seen[variable] && from[variable] <= occurrences[occurrence].node) found.push_back(n);
    seen[variable] = true;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<size_t> Variables::mistakable() const {
  const std::vector<int32_t> from = bound_from();
  std::vector<size_t> slots;
  for (size_t n = 0; n < occurrences.size(); ++n) {
    const Occurrence& here = occurrences[n];
    const auto bound =
        std::count_if(from.begin(), from.end(), [&](int32_t first) { return first <= here.node; });
    const bool is_bound = from[static_cast<size_t>(here.variable)] <= here.node;
    if (here.read && is_bound && bound >= 2) slots.push_back(n);
  }
  return slots;
}

}  // namespace relbias::modalities
