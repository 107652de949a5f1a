# cmake --install: headers, the library, find_package(sluice) and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS sluice EXPORT sluiceTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sluice DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(SLUICE_DEVELOPER)
    install(TARGETS sluice_tool)
    if(TARGET sluice-serve)  # only where it was built
        install(PROGRAMS $<TARGET_FILE:sluice-serve> DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
    endif()
    install(PROGRAMS $<TARGET_FILE:sluice-compare> DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)  # likewise
    set(guide ${PROJECT_BINARY_DIR}/guide)
    install(FILES ${guide}/sluice.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${guide}/sluice DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${guide}/_sluice DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${guide}/sluice.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
install(EXPORT sluiceTargets NAMESPACE sluice:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sluiceConfig.cmake.in ${PROJECT_BINARY_DIR}/sluiceConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sluiceConfig.cmake ${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake
        DESTINATION ${package_folder})

if(NOT BUILD_SHARED_LIBS)  # whoever links the archive needs what it needs
    set(SLUICE_STATIC_LIBS "-lhwy -lzstd -pthread")
endif()
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/sluice.pc.in ${PROJECT_BINARY_DIR}/sluice.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sluice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
