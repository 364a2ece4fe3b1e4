// SPDX-License-Identifier: Apache-2.0
// results/report: the page around the data.
#include "results/report/page.h"

#include <utility>
#include <vector>

#include "results/report/assets.h"

namespace relbias {
namespace {

std::string replaced(const std::string& text,
                     const std::vector<std::pair<char, std::string>>& rules) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const std::string* by = nullptr;
    for (const auto& [from, to] : rules) by = from == c ? &to : by;
    if (by == nullptr) {
      result += c;
    } else {
      result += *by;
    }
  }
  return result;
}

}  // namespace

std::string page_with(const std::string& title, const std::string& json,
                      const std::string& plotly) {
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"@TITLE@", replaced(title, {{'<', "&lt;"}, {'&', "&amp;"}})},
      {"@CSS@", assets::page_css},
      {"@DATA@", replaced(json, {{'<', "\\u003c"}})},
      {"@JS@", assets::page_js},
      {"@PLOTLY@", plotly}};
  std::string page;
  std::string_view rest = assets::page_html;
  for (const auto& [place, text] : parts) {  // in the order of the page
    const size_t at = rest.find(place);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + place.size());
  }
  return page.append(rest);
}

}  // namespace relbias
