# The target `sluice` without compiling it: the archive SLUICE_LIBRARY, built before from the same sources.
if(NOT EXISTS ${SLUICE_LIBRARY})
    message(FATAL_ERROR "SLUICE_LIBRARY = ${SLUICE_LIBRARY}: there is no such file. Build it, or leave the option out.")
endif()
add_library(sluice STATIC IMPORTED GLOBAL)
set_target_properties(sluice PROPERTIES IMPORTED_LOCATION ${SLUICE_LIBRARY})
target_compile_features(sluice INTERFACE cxx_std_20)
target_include_directories(sluice INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(sluice INTERFACE hwy::hwy zstd Threads::Threads)
