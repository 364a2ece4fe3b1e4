// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: the programming languages that are read, and what their grammars call
// things.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "modalities/plain/rooms.h"

struct TSLanguage;

namespace relbias::modalities {

/// Which identifiers bind a variable, by the type of the node around them and their field in it
/// (empty: none). What stands inside a pattern counts as what the pattern itself is.
struct ScopeRules {
  std::vector<std::string> scopes;    // nodes with variables of their own, functions among them
  std::vector<std::string> patterns;  // (a, b) in `for (a, b) in c`
  std::vector<std::pair<std::string, std::string>> bindings;       // x = ...
  std::vector<std::pair<std::string, std::string>> not_variables;  // .x, f(x=...)
  std::vector<std::string> not_local;  // names inside belong to another scope: `global x`
};

/// One row of the table in languages.cpp. All words but name and extensions are node types of the
/// grammar.
struct Language {
  std::string name;  // as the grammar's, and of its folder in the cache
  const TSLanguage* (*grammar)();
  std::vector<std::string> extensions;
  std::vector<std::string> functions;
  std::vector<std::string> blocks;          // what nests: the statements of an `if`
  std::vector<std::string> comments;        // left out of samples
  std::vector<std::string> literals;        // one token each, whatever their text
  std::vector<std::string> interpolations;  // code inside a literal, which then is no single token
  ScopeRules scopes;
};

const std::vector<Language>& languages();
std::vector<std::string> language_names();

/// Throws InputError with the valid names where there is no such language.
const Language& language_named(std::string_view name);
/// By the end of a file's name. Throws InputError with the known extensions.
const Language& language_of_file(std::string_view file_name);

/// Number of node types, ERROR the last of them.
size_t type_count(const Language& language);
std::string_view type_name(const Language& language, size_t type);
/// By symbol of the grammar: the node type it counts as, since grammars give several one name.
const std::vector<uint16_t>& types_of_symbols(const Language& language);
/// By type: whether it is a named node type called one of `names`.
std::vector<bool> types_named(const Language& language, const std::vector<std::string>& names);
/// What a type is for, by type.
struct Kinds {
  std::vector<bool> function, block, comment, literal, interpolation;
};
const Kinds& kinds_of(const Language& language);

/// The number of a field; 0 for the empty name.
uint16_t field_named(const Language& language, std::string_view name);

}  // namespace relbias::modalities
