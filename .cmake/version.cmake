# SPDX-License-Identifier: Apache-2.0
# Run at every build: writes OUTPUT from version.cpp.in, touching it only where the commit or the state of the tree changed.
execute_process(COMMAND git describe --always --dirty --abbrev=40 --exclude=*
                WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT commit)
  set(commit "unknown")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/version.cpp.in" "${OUTPUT}" @ONLY)
