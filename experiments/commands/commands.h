// SPDX-License-Identifier: Apache-2.0
// experiments/commands: the program's commands. Each adds itself to the command line, does its work
// from its callback and sets the exit code where that is not 0.
#pragma once

namespace CLI {
class App;
}

namespace relbias::experiments {

void add_run_command(CLI::App& app, int& exit_code);
void add_tune_command(CLI::App& app, int& exit_code);
void add_run_one_command(CLI::App& app, int& exit_code);
void add_list_command(CLI::App& app, int& exit_code);
void add_describe_command(CLI::App& app, int& exit_code);
void add_terms_command(CLI::App& app, int& exit_code);
void add_attend_command(CLI::App& app, int& exit_code);
void add_table_command(CLI::App& app, int& exit_code);
void add_inspect_command(CLI::App& app, int& exit_code);
void add_show_command(CLI::App& app, int& exit_code);
void add_evaluate_command(CLI::App& app, int& exit_code);
void add_submit_command(CLI::App& app, int& exit_code);
void add_reproduce_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);

}  // namespace relbias::experiments
