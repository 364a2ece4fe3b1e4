# SPDX-License-Identifier: Apache-2.0
# Run at every build: writes OUTPUT from version.cpp.in, touching it only where the commit or the state of the tree changed.
execute_process(COMMAND git describe --always --dirty --abbrev=40 --exclude=*
                WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT commit)
  set(commit "unknown")
endif()
# Changed files and new ones, as far as they are compiled.
set(sources modalities encodings experiments results .cmake CMakeLists.txt)
execute_process(COMMAND git diff HEAD --binary -- ${sources} COMMAND git hash-object --stdin
                WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git ls-files --others --exclude-standard -- "*.cpp" "*.h" "*.cu" "*.cmake"
                COMMAND git hash-object --stdin-paths COMMAND git hash-object --stdin
                WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE new ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
set(nothing e69de29bb2d1d6434b8b29ae775ad8c2e48c5391)  # git's hash of an empty text
set(uncommitted "")
if(NOT "${changed}${new}" MATCHES "^(${nothing})*$")
  string(SHA1 uncommitted "${changed}${new}")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/version.cpp.in" "${OUTPUT}" @ONLY)
