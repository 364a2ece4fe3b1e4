# SPDX-License-Identifier: Apache-2.0
# What must stop a configuration, each with one clear line: an unfit LibTorch, a name used twice. Run as
#   cmake -P cmake_test.cmake
# which runs itself once more for each case, with CASE set.
cmake_minimum_required(VERSION 3.25)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.cmake")
include(libtorch)
include(catalogue)

# Writes a LibTorch of two files: a version header, and a library holding one symbol.
function(fake_libtorch directory minor symbol)
  file(WRITE "${directory}/include/torch/headeronly/version.h"
       "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR ${minor}\n#define TORCH_VERSION_PATCH 1\n")
  file(WRITE "${directory}/lib/libc10.so" "${symbol}\n")
endfunction()

set(new_abi _ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
set(old_abi _ZN3c105ErrorC1ENS_14SourceLocationESs)

if(CASE STREQUAL fit)
  fake_libtorch(${WORK} 15 ${new_abi})
  relbias_check_libtorch(${WORK} version)
  message(FATAL_ERROR "found ${version}")
elseif(CASE STREQUAL missing)
  relbias_check_libtorch(${WORK} version)
elseif(CASE STREQUAL too-old)
  fake_libtorch(${WORK} 10 ${new_abi})
  relbias_check_libtorch(${WORK} version)
elseif(CASE STREQUAL old-string)
  fake_libtorch(${WORK} 11 ${old_abi})
  relbias_check_libtorch(${WORK} version)
elseif(CASE STREQUAL name-twice)
  relbias_write_catalogue(${WORK}/entries.cpp relation RelationEntry modalities/relation.h
                          /modalities/image/relations/grid.cpp /modalities/audio/relations/grid.cpp)
elseif(CASE STREQUAL catalogue)
  relbias_write_catalogue(${WORK}/entries.cpp relation RelationEntry modalities/relation.h
                          /modalities/audio/relations/time_frequency.cpp)
  file(READ ${WORK}/entries.cpp source)
  string(REGEX MATCHALL "[^\n]*(RelationEntry relation|all)[^\n]*;" lines "${source}")
  message(FATAL_ERROR "${lines}")
endif()

# expect(CASE TEXT): in that case CMake stops and says TEXT, however it breaks the lines.
function(expect case text)
  set(work "${CMAKE_CURRENT_BINARY_DIR}/cmake_test_${case}")
  file(REMOVE_RECURSE "${work}")
  file(MAKE_DIRECTORY "${work}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -DCASE=${case} -DWORK=${work} -P "${CMAKE_SCRIPT_MODE_FILE}"
                  RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_QUIET)
  file(REMOVE_RECURSE "${work}")
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  string(FIND "${said}" "${text}" at)
  if(at EQUAL -1 OR result EQUAL 0)
    message(SEND_ERROR "${case}: expected '${text}', exit code ${result}, it said: ${said}")
  endif()
endfunction()

if(NOT DEFINED CASE)
  expect(fit "found 2.15.1")
  expect(missing "no LibTorch in LIBTORCH=")
  expect(too-old "is LibTorch 2.10.1; relbias works with 2.11 to 2.15")
  expect(old-string "_GLIBCXX_USE_CXX11_ABI=0")
  expect(name-twice "two files name the relation 'grid': /modalities/image/relations/grid.cpp and /modalities/audio/")
  expect(catalogue "all.push_back(relation_time_frequency());")
  expect(catalogue "all.back().name = \"time-frequency\";")
  expect(catalogue "all.back().modality = \"audio\";")
endif()
