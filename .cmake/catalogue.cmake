# SPDX-License-Identifier: Apache-2.0
# The catalogues: one generated source a kind, written from file names, so that an encoding, relation, dataset, task, metric
# or schedule is one new file and no edit elsewhere. Objects that register themselves would vanish silently from static
# libraries; here a missing factory is a link error and a name used twice stops the configuration.

# relbias_write_catalogue(SOURCE KIND TYPE HEADER FILES...) writes to SOURCE the function
#   const std::vector<TYPE>& KIND_entries()
# with one entry a file: what the file's factory `TYPE KIND_stem()` returns, its `name` set to the stem with '-' for '_'
# and, for files in modalities/<modality>/, its `modality` set too. All stands in the namespace of the room of HEADER.
function(relbias_write_catalogue source kind type header)
  string(REGEX REPLACE "/.*" "" room "${header}")
  set(declarations "")
  set(additions "")
  foreach(file IN LISTS ARGN)
    get_filename_component(stem "${file}" NAME_WE)
    if(DEFINED file_of_${stem})
      message(FATAL_ERROR "two files name the ${kind} '${stem}': ${file_of_${stem}} and ${file}")
    endif()
    set(file_of_${stem} "${file}")
    string(REPLACE "_" "-" name "${stem}")
    string(APPEND declarations "${type} ${kind}_${stem}();\n")
    string(APPEND additions "    all.push_back(${kind}_${stem}());\n    all.back().name = \"${name}\";\n")
    if(file MATCHES "/modalities/([^/]+)/[a-z]+/[^/]+$")
      string(APPEND additions "    all.back().modality = \"${CMAKE_MATCH_1}\";\n")
    endif()
  endforeach()
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/catalogue.cpp.in" "${source}" @ONLY)
endfunction()

# Adds such a catalogue to TARGET.
function(relbias_add_catalogue target kind type header)
  set(source "${PROJECT_BINARY_DIR}/catalogue/${kind}_entries.cpp")
  relbias_write_catalogue("${source}" ${kind} ${type} ${header} ${ARGN})
  target_sources(${target} PRIVATE "${source}")
endfunction()
