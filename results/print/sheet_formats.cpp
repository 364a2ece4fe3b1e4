// SPDX-License-Identifier: Apache-2.0
// results/print: the printed forms of a sheet: plain text, Markdown, LaTeX.
#include <fmt/format.h>

#include <algorithm>

#include "modalities/plain/escaped.h"
#include "modalities/plain/utf8.h"
#include "results/print/sheet.h"

namespace relbias::results {
namespace {

bool has_best(const Sheet& sheet) {
  return std::ranges::any_of(sheet.rows, [](const std::vector<SheetCell>& row) {
    return std::ranges::any_of(row, &SheetCell::best);
  });
}

bool is_letter(const std::string& mark) {
  return !mark.empty() && mark[0] >= 'a' && mark[0] <= 'z';
}

std::string markdown(const std::string& text) {
  return escaped(text, {{'\\', "\\\\"},
                        {'|', "\\|"},
                        {'*', "\\*"},
                        {'_', "\\_"},
                        {'`', "\\`"},
                        {'<', "\\<"},
                        {'[', "\\["}});
}

std::string latex(const std::string& text) {
  const std::string ascii = escaped(text, {{'\\', "\\textbackslash{}"},
                                           {'~', "\\textasciitilde{}"},
                                           {'^', "\\textasciicircum{}"},
                                           {'&', "\\&"},
                                           {'%', "\\%"},
                                           {'$', "\\$"},
                                           {'#', "\\#"},
                                           {'_', "\\_"},
                                           {'{', "\\{"},
                                           {'}', "\\}"},
                                           {'[', "{[}"},
                                           {'<', "$<$"},
                                           {'>', "$>$"},
                                           {'|', "$|$"}});
  std::string result;
  for (size_t at = 0; at < ascii.size();) {  // what pdflatex's UTF-8 lacks without further packages
    const auto sign = [&](std::string_view utf8, const char* command) {
      if (!std::string_view(ascii).substr(at).starts_with(utf8)) return false;
      result += command;
      at += utf8.size();
      return true;
    };
    const bool replaced = sign("±", "$\\pm$") || sign("≤", "$\\leq$") || sign("≥", "$\\geq$") ||
                          sign("†", "\\dag{}") || sign("‡", "\\ddag{}");
    if (!replaced) result += ascii[at++];
  }
  return result;
}

// What follows a cell's text in plain text. One width a column keeps the numbers above each other.
std::string suffix(const SheetCell& cell) {
  const std::string mark = is_letter(cell.mark) ? "[" + cell.mark + "]" : cell.mark;
  return (mark.empty() ? "" : " " + mark) + (cell.best ? " *" : "");
}

std::string spaces(size_t width, const std::string& text) {
  return std::string(width - text_width(text), ' ');
}

// The cells of one column, the heading first.
std::vector<std::string> text_column(const Sheet& sheet, size_t index) {
  size_t width = text_width(sheet.headings[index]);
  size_t suffix_width = 0;
  for (const auto& row : sheet.rows) {
    width = std::max(width, text_width(row[index].text));
    suffix_width = std::max(suffix_width, text_width(suffix(row[index])));
  }
  const auto cell = [&](const std::string& text, const std::string& after) {
    const std::string body = index == 0 ? text + spaces(width, text) : spaces(width, text) + text;
    return body + after + spaces(suffix_width, after);
  };
  std::vector<std::string> column = {cell(sheet.headings[index], "")};
  for (const auto& row : sheet.rows) column.push_back(cell(row[index].text, suffix(row[index])));
  return column;
}

// `code-gates: listops (code)` -> `code-gates-listops-code`
std::string label_of(const std::string& title) {
  std::string label;
  for (const char c : title) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      label += c;
    } else if (!label.empty() && label.back() != '-') {
      label += '-';
    }
  }
  if (label.ends_with('-')) label.pop_back();
  return label;
}

std::string latex_cell(const SheetCell& cell) {
  std::string text = latex(cell.text);
  if (cell.best) text = "\\textbf{" + text + "}";
  if (cell.grey) text = "\\textcolor{gray}{" + text + "}";
  return cell.mark.empty() ? text : text + "\\textsuperscript{" + latex(cell.mark) + "}";
}

std::string markdown_cell(const SheetCell& cell) {
  std::string text = markdown(cell.text);
  if (cell.best) text = "**" + text + "**";
  return cell.mark.empty() ? text : text + " <sup>" + cell.mark + "</sup>";
}

}  // namespace

std::string as_text(const Sheet& sheet) {
  std::vector<std::string> lines(sheet.rows.size() + 2);
  for (size_t i = 0; i < sheet.headings.size(); ++i) {
    std::vector<std::string> column = text_column(sheet, i);
    column.insert(column.begin() + 1, std::string(text_width(column[0]), '-'));
    for (size_t row = 0; row < lines.size(); ++row)
      lines[row] += (i == 0 ? "" : "  ") + column[row];
  }
  std::string out = sheet.title + "\n" + (sheet.facts.empty() ? "" : sheet.facts + "\n\n");
  for (const std::string& line : lines)
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  std::string notes = has_best(sheet) ? "* best of its column, or not told from it\n" : "";
  for (const Note& note : sheet.notes) {
    const std::string mark = is_letter(note.mark) ? "[" + note.mark + "]" : note.mark;
    notes += (mark.empty() ? "" : mark + " ") + note.text + "\n";
  }
  return notes.empty() ? out : out + "\n" + notes;
}

std::string as_markdown(const Sheet& sheet) {
  std::string out = fmt::format("**{}**\n\n{}\n\n|", markdown(sheet.title), markdown(sheet.facts));
  for (const std::string& heading : sheet.headings) out += " " + markdown(heading) + " |";
  out += "\n|";
  for (size_t i = 0; i < sheet.headings.size(); ++i) out += i == 0 ? ":---|" : "---:|";
  out += "\n";
  for (const auto& row : sheet.rows) {
    out += "|";
    for (const SheetCell& cell : row) out += " " + markdown_cell(cell) + " |";
    out += "\n";
  }
  for (const Note& note : sheet.notes) {
    const std::string mark = note.mark.empty() ? "" : "<sup>" + note.mark + "</sup> ";
    out += "\n" + mark + markdown(note.text) + "\n";
  }
  return out;
}

std::string as_latex(const Sheet& sheet) {
  const size_t columns = sheet.headings.size();
  std::string out =
      "% \\usepackage{booktabs,adjustbox,array,xcolor}\n\\begin{table}\n\\centering\n";
  out += fmt::format("\\caption{{{}. {}.}}\n\\label{{tab:{}}}\n", latex(sheet.title),
                     latex(sheet.facts), label_of(sheet.title));
  if (sheet.prose) {
    out += fmt::format(
        "\\footnotesize\n\\begin{{tabular}}{{*{{{}}}{{>{{\\raggedright\\arraybackslash}}"
        "p{{\\dimexpr {:.4f}\\linewidth-2\\tabcolsep\\relax}}}}}}\n",
        columns, 1 / static_cast<double>(columns));
  } else {
    out += "\\begin{adjustbox}{max width=\\linewidth}\n\\begin{tabular}{l" +
           std::string(columns - 1, 'r') + "}\n";
  }
  out += "\\toprule\n";
  for (size_t i = 0; i < sheet.headings.size(); ++i) {
    out += (i == 0 ? "" : " & ") + latex(sheet.headings[i]);
  }
  out += " \\\\\n\\midrule\n";
  for (const auto& row : sheet.rows) {
    for (size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : " & ") + latex_cell(row[i]);
    out += " \\\\\n";
  }
  out += "\\bottomrule\n\\end{tabular}\n";
  if (!sheet.prose) out += "\\end{adjustbox}\n";
  for (const Note& note : sheet.notes) {
    const std::string mark =
        note.mark.empty() ? "" : "\\textsuperscript{" + latex(note.mark) + "} ";
    out += "\n\\smallskip\\footnotesize " + mark + latex(note.text) + "\n";
  }
  return out + "\\end{table}\n";
}

}  // namespace relbias::results
