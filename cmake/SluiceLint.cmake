# clang-tidy, again only on what has changed: `lint` on the library and the rooms that know files, `lint_all` on every source.
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
    if(name MATCHES "^src/" AND NOT name MATCHES "^src/(portfolio|baselines)/")
        list(APPEND library_stamps ${stamp})
    endif()
endforeach()
add_custom_target(lint DEPENDS ${library_stamps})  # by ./test
add_custom_target(lint_all DEPENDS ${stamps})      # some minutes more
