# clang-tidy on every source by itself, again only on what has changed: cmake --build build/lint --target lint_all. ./test runs
# scripts/lint.sh, which is faster.
find_program(CLANG_TIDY clang-tidy-16)
file(GLOB_RECURSE lint_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/experiments/*.cpp ${PROJECT_SOURCE_DIR}/apps/*.cpp)
file(GLOB_RECURSE lint_headers CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/include/*.hpp ${PROJECT_SOURCE_DIR}/src/*.hpp
     ${PROJECT_SOURCE_DIR}/experiments/*.hpp ${PROJECT_SOURCE_DIR}/apps/*.hpp)
set(stamps)
foreach(source IN LISTS lint_sources)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "." stamp ${name})
    set(stamp ${PROJECT_BINARY_DIR}/lint/${stamp})
    add_custom_command(OUTPUT ${stamp}
        COMMAND ${CLANG_TIDY} -p ${PROJECT_BINARY_DIR} --quiet ${source}
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${source} ${lint_headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
        COMMENT "lint ${name}" VERBATIM)
    list(APPEND stamps ${stamp})
endforeach()
add_custom_target(lint_all DEPENDS ${stamps})
