// SPDX-License-Identifier: Apache-2.0
// experiments: the program `relbias`. Results go to standard output, all else to standard error.
// Exit codes: 0 ok, 1 some run failed or a fault of ours, 2 wrong usage, 130 interrupted.
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>

#include "experiments/commands/commands.h"
#include "experiments/launch/stderr_text.h"
#include "experiments/run/device.h"
#include "experiments/version.h"
#include "modalities/plain/check.h"
#include "results/record.h"

namespace {

using relbias::experiments::unknown_word;

// The library says what it did not expect; we say what was meant.
void refuse_unknown_words(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const CLI::App* chosen = nullptr;
  std::vector<std::string> commands;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) chosen = command;
    if (!command->get_group().empty()) commands.push_back(command->get_name());
  }
  if (chosen == nullptr) unknown_word("command", argv[1], commands);
  std::vector<std::string> flags;
  for (const auto* option : chosen->get_options()) {
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
  }
  for (int i = 2; i < argc; ++i) {
    std::string word = argv[i];
    word = word.substr(0, word.find('='));
    if (word == "--") return;
    const bool is_flag = word.starts_with("--");
    if (is_flag && std::find(flags.begin(), flags.end(), word) == flags.end()) {
      unknown_word(fmt::format("option of relbias {}", argv[1]), word, flags);
    }
  }
}

int fail(const std::string& message, int exit_code) {
  relbias::experiments::to_stderr(fmt::format("relbias: {}\n", message));
  return exit_code;
}

// A step takes and frees tensors of megabytes. The allocator would hand them back to the kernel,
// which clears every page anew: a fifth of a small model's training, half of its evaluation,
// half of reading two thousand files of runs.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

int run_program(int argc, char** argv) {
  keep_freed_memory();
  CLI::App app("relbias: a benchmark harness for relative position encodings", "relbias");
  app.require_subcommand(1);
  app.set_version_flag("--version",
                       fmt::format("relbias {} ({})", relbias::experiments::program_version(),
                                   relbias::experiments::git_commit()));
  int exit_code = 0;
  relbias::experiments::add_run_command(app, exit_code);
  relbias::experiments::add_tune_command(app, exit_code);
  relbias::experiments::add_run_one_command(app, exit_code);
  relbias::experiments::add_list_command(app, exit_code);
  relbias::experiments::add_describe_command(app, exit_code);
  relbias::experiments::add_terms_command(app, exit_code);
  relbias::experiments::add_attend_command(app, exit_code);
  relbias::experiments::add_table_command(app, exit_code);
  relbias::experiments::add_inspect_command(app, exit_code);
  relbias::experiments::add_show_command(app, exit_code);
  relbias::experiments::add_evaluate_command(app, exit_code);
  relbias::experiments::add_submit_command(app, exit_code);
  relbias::experiments::add_reproduce_command(app, exit_code);
  relbias::experiments::add_report_command(app, exit_code);
  refuse_unknown_words(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
    return fail(fmt::format("{}; see relbias --help", error.what()), 2);
  }
  return exit_code;
}

// A file opened later would get the number of an output that the caller has closed, and what is
// printed would go into it. Nothing can be written to these.
void keep_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != number) std::_Exit(1);
  }
}

// Whether all results were written, a full disk being the usual reason why not. That nobody reads
// on (`relbias list encodings | head -1`) is no failure.
bool output_is_written() {
  errno = 0;
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  const int reason = errno;
  pollfd reader{STDOUT_FILENO, 0, 0};
  if (written || (poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR) != 0)) return true;
  fail(fmt::format("standard output cannot be written: {}",
                   reason == 0 ? "an earlier write failed" : std::strerror(reason)),
       1);
  return false;
}

const char* const fault = "a fault of the program, please report it: ";

}  // namespace

int main(int argc, char** argv) {
  keep_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // writing past a limit is then an error like a full disk
  try {
    const int exit_code = run_program(argc, argv);
    return output_is_written() ? exit_code : 1;
  } catch (const relbias::experiments::InputError& error) {
    return fail(error.what(), 2);
  } catch (const relbias::experiments::StoreError& error) {
    return fail(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const c10::Error& error) {
    return relbias::experiments::is_out_of_memory(error)
               ? fail(std::string("out of memory: ") + error.what_without_backtrace(), 1)
               : fail(std::string(fault) + error.what(), 1);
  } catch (const std::exception& error) {
    return fail(std::string(fault) + error.what(), 1);
  }
}
