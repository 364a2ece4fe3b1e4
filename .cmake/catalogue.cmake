# SPDX-License-Identifier: Apache-2.0
# The catalogues: one generated source a kind, written from file names, so that an encoding, relation, dataset or task is
# one new file and no edit elsewhere. Objects that register themselves would vanish silently from static libraries; here a
# missing factory is a link error and a name used twice stops the configuration.

# relbias_add_catalogue(TARGET KIND TYPE HEADER FILES...) adds to TARGET the function
#   const std::vector<TYPE>& KIND_entries()
# with one entry a file: what the file's factory `TYPE KIND_stem()` returns, its `name` set to the stem with '-' for '_'
# and, for files in modalities/<modality>/, its `modality` set too.
function(relbias_add_catalogue target kind type header)
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
    file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}" "${file}")
    if(relative MATCHES "^modalities/([^/]+)/")
      string(APPEND additions "    all.back().modality = \"${CMAKE_MATCH_1}\";\n")
    endif()
  endforeach()
  set(source "${PROJECT_BINARY_DIR}/catalogue/${kind}_entries.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/.cmake/catalogue.cpp.in" "${source}" @ONLY)
  target_sources(${target} PRIVATE "${source}")
endfunction()
