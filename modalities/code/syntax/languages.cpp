// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: the table of languages. A new one is a row here and a line in
// experiments/setup.
#include "modalities/code/syntax/languages.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <filesystem>

#include "modalities/plain/options.h"

extern "C" {
const TSLanguage* tree_sitter_c();
const TSLanguage* tree_sitter_cpp();
const TSLanguage* tree_sitter_java();
const TSLanguage* tree_sitter_javascript();
const TSLanguage* tree_sitter_python();
}

namespace relbias::modalities {
namespace {

ScopeRules c_scopes() {
  return {
      .scopes = {"function_definition"},
      .patterns = {"pointer_declarator", "array_declarator", "parenthesized_declarator"},
      .bindings = {{"declaration", "declarator"},
                   {"init_declarator", "declarator"},
                   {"parameter_declaration", "declarator"},
                   {"assignment_expression", "left"}},
      .not_variables = {{"call_expression", "function"}, {"function_declarator", "declarator"}},
      .not_local = {},
  };
}

ScopeRules cpp_scopes() {
  ScopeRules rules = c_scopes();
  rules.scopes.push_back("lambda_expression");
  rules.patterns.push_back("reference_declarator");
  rules.bindings.push_back({"for_range_loop", "declarator"});
  rules.bindings.push_back({"optional_parameter_declaration", "declarator"});
  return rules;
}

ScopeRules java_scopes() {
  return {
      .scopes = {"method_declaration", "constructor_declaration", "lambda_expression"},
      .patterns = {},
      .bindings = {{"variable_declarator", "name"},
                   {"formal_parameter", "name"},
                   {"enhanced_for_statement", "name"},
                   {"catch_formal_parameter", "name"},
                   {"resource", "name"},
                   {"lambda_expression", "parameters"},
                   {"inferred_parameters", ""},
                   {"assignment_expression", "left"}},
      .not_variables = {{"method_invocation", "name"},
                        {"field_access", "field"},
                        {"method_declaration", "name"},
                        {"constructor_declaration", "name"},
                        {"labeled_statement", ""}},
      .not_local = {"annotation", "marker_annotation"},
  };
}

ScopeRules javascript_scopes() {
  return {
      .scopes = {"function_declaration", "function_expression", "arrow_function",
                 "method_definition", "generator_function_declaration", "generator_function"},
      .patterns = {"object_pattern", "array_pattern", "rest_pattern"},
      .bindings = {{"variable_declarator", "name"},
                   {"formal_parameters", ""},
                   {"arrow_function", "parameter"},
                   {"assignment_pattern", "left"},
                   {"for_in_statement", "left"},
                   {"catch_clause", "parameter"},
                   {"assignment_expression", "left"},
                   {"augmented_assignment_expression", "left"}},
      .not_variables = {{"function_declaration", "name"},
                        {"function_expression", "name"},
                        {"generator_function_declaration", "name"},
                        {"class_declaration", "name"}},
      .not_local = {},
  };
}

ScopeRules python_scopes() {
  return {
      .scopes = {"function_definition", "lambda", "list_comprehension", "set_comprehension",
                 "dictionary_comprehension", "generator_expression", "class_definition"},
      .patterns = {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern",
                   "dictionary_splat_pattern"},
      .bindings = {{"assignment", "left"},
                   {"augmented_assignment", "left"},
                   {"named_expression", "name"},
                   {"for_statement", "left"},
                   {"for_in_clause", "left"},
                   {"parameters", ""},
                   {"lambda_parameters", ""},
                   {"typed_parameter", ""},
                   {"default_parameter", "name"},
                   {"typed_default_parameter", "name"},
                   {"as_pattern_target", ""},
                   {"aliased_import", "alias"}},
      .not_variables = {{"attribute", "attribute"},
                        {"keyword_argument", "name"},
                        {"function_definition", "name"},
                        {"class_definition", "name"},
                        {"dotted_name", ""}},
      .not_local = {"global_statement", "nonlocal_statement"},
  };
}

// The first type with the same name: grammars give one name to several.
std::vector<uint16_t> first_with_name(const TSLanguage* grammar) {
  const auto count = static_cast<uint16_t>(ts_language_symbol_count(grammar));
  std::vector<uint16_t> first(count);
  for (uint16_t type = 0; type < count; ++type) {
    const auto same = [&](uint16_t other) {
      return ts_language_symbol_type(grammar, other) == ts_language_symbol_type(grammar, type) &&
             std::string_view(ts_language_symbol_name(grammar, other)) ==
                 ts_language_symbol_name(grammar, type);
    };
    while (!same(first[type])) ++first[type];
  }
  return first;
}

}  // namespace

const std::vector<Language>& languages() {
  static const std::vector<Language> table = {
      {"c",
       tree_sitter_c,
       {"c", "h"},
       {"function_definition"},
       {"compound_statement"},
       {"comment"},
       {"number_literal", "string_literal", "char_literal"},
       {},
       c_scopes()},
      {"cpp",
       tree_sitter_cpp,
       {"cpp", "cc", "cxx", "hpp", "hh", "hxx"},
       {"function_definition"},
       {"compound_statement"},
       {"comment"},
       {"number_literal", "string_literal", "char_literal", "raw_string_literal"},
       {},
       cpp_scopes()},
      {"java",
       tree_sitter_java,
       {"java"},
       {"method_declaration", "constructor_declaration"},
       {"block", "constructor_body"},
       {"line_comment", "block_comment"},
       {"decimal_integer_literal", "hex_integer_literal", "octal_integer_literal",
        "binary_integer_literal", "decimal_floating_point_literal", "hex_floating_point_literal",
        "string_literal", "character_literal"},
       {"string_interpolation"},
       java_scopes()},
      {"javascript",
       tree_sitter_javascript,
       {"js", "mjs", "cjs", "jsx"},
       {"function_declaration", "function_expression", "arrow_function", "method_definition",
        "generator_function_declaration", "generator_function"},
       {"statement_block"},
       {"comment", "html_comment"},
       {"number", "string", "template_string", "regex"},
       {"template_substitution"},
       javascript_scopes()},
      {"python",
       tree_sitter_python,
       {"py", "pyi"},
       {"function_definition"},
       {"block"},
       {"comment"},
       {"integer", "float", "string"},
       {"interpolation"},
       python_scopes()},
  };
  return table;
}

std::vector<std::string> language_names() {
  std::vector<std::string> names;
  for (const Language& language : languages()) names.push_back(language.name);
  return names;
}

const Language& language_named(std::string_view name) {
  return find_entry("language", name, languages());
}

const Language& language_of_file(std::string_view file_name) {
  std::string extension = std::filesystem::path(file_name).extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  std::string known;
  for (const Language& language : languages()) {
    for (const std::string& candidate : language.extensions) {
      if (candidate == extension) return language;
      known += (known.empty() ? "" : ", ") + candidate;
    }
  }
  input_error("{}: extension '{}' found, one of {} expected", file_name, extension, known);
}

size_t type_count(const Language& language) {
  return ts_language_symbol_count(language.grammar()) + size_t{1};
}

std::string_view type_name(const Language& language, size_t type) {
  if (type + 1 == type_count(language)) return "ERROR";
  return ts_language_symbol_name(language.grammar(), static_cast<TSSymbol>(type));
}

std::vector<bool> types_named(const Language& language, const std::vector<std::string>& names) {
  std::vector<bool> named(type_count(language));
  for (size_t type = 0; type + 1 < named.size(); ++type) {
    const auto kind = ts_language_symbol_type(language.grammar(), static_cast<TSSymbol>(type));
    named[type] = kind == TSSymbolTypeRegular &&
                  std::count(names.begin(), names.end(), type_name(language, type)) != 0;
  }
  return named;
}

uint16_t field_named(const Language& language, std::string_view name) {
  if (name.empty()) return 0;
  return ts_language_field_id_for_name(language.grammar(), name.data(),
                                       static_cast<uint32_t>(name.size()));
}

namespace {

// What is worked out once a language.
struct Tables {
  std::vector<uint16_t> types_of_symbols;
  Kinds kinds;
};

const Tables& tables_of(const Language& language) {
  static const std::vector<Tables> all = [] {
    std::vector<Tables> tables;
    for (const Language& each : languages()) {
      const auto types = [&](const auto& names) { return types_named(each, names); };
      tables.push_back({first_with_name(each.grammar()),
                        {types(each.functions), types(each.blocks), types(each.comments),
                         types(each.literals), types(each.interpolations)}});
    }
    return tables;
  }();
  return all[static_cast<size_t>(&language - languages().data())];
}

}  // namespace

const std::vector<uint16_t>& types_of_symbols(const Language& language) {
  return tables_of(language).types_of_symbols;
}

const Kinds& kinds_of(const Language& language) { return tables_of(language).kinds; }

}  // namespace relbias::modalities
