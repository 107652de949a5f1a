#include "experiments/common/style.hpp"

namespace sluice::experiments {

std::string_view figure_css() {
    return R"(:root{color-scheme:light dark;--ink:#1b1f24;--ground:#ffffff;--soft:#5b6570;--grid:#dfe3e8;--frame:#9aa4af;
--c0:#0b57a4;--c1:#c25a00;--c2:#0a7a55;--c3:#7a3fb0;
--c4:#c4122f;--c5:#1b1f24;--c6:#b0357f;--c7:#5b6570;--c8:#007a8c}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--ground:#15181c;--soft:#a3adb8;--grid:#2c3239;--frame:#6b7580;
--c0:#6fb4ff;--c1:#ffb35c;--c2:#5fd6a8;--c3:#cdaaff;
--c4:#ff7a8a;--c5:#e8eaed;--c6:#ffa8d8;--c7:#a3adb8;--c8:#5fd0e0}}
svg{color:var(--ink);background:var(--ground);font-family:system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
svg text{fill:currentColor;font-size:12px}
svg .title{font-weight:600;font-size:13px}
svg .soft{fill:var(--soft);font-size:11px}
svg .grid{stroke:var(--grid);stroke-width:1;fill:none}
svg .frame{stroke:var(--frame);stroke-width:1;fill:none}
svg .change{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 3;fill:none}
svg .line{fill:none;stroke-width:1.8;stroke-linejoin:round}
svg .band{stroke:none;opacity:.2}
svg .s0{stroke:var(--c0)}svg .s1{stroke:var(--c1)}svg .s2{stroke:var(--c2)}svg .s3{stroke:var(--c3)}
svg .s4{stroke:var(--c4);stroke-width:2.6}svg .s5{stroke:var(--c5)}svg .s6{stroke:var(--c6)}svg .s7{stroke:var(--c7)}svg .s8{stroke:var(--c8)}
svg .f0{fill:var(--c0)}svg .f1{fill:var(--c1)}svg .f2{fill:var(--c2)}svg .f3{fill:var(--c3)}
svg .f4{fill:var(--c4)}svg .f5{fill:var(--c5)}svg .f6{fill:var(--c6)}svg .f7{fill:var(--c7)}svg .f8{fill:var(--c8)}
svg .black{fill:currentColor}
svg .grey{fill:currentColor;opacity:.38}
)";
}

const std::array<LineStyle, kLineStyles>& line_styles() {
    static constexpr std::array<LineStyle, kLineStyles> kStyles = {
        LineStyle{.dash = "", .marker = "M-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z"},  // disc
        LineStyle{.dash = "7 3", .marker = "M-2.9 -2.9h5.8v5.8h-5.8z"},                        // square
        LineStyle{.dash = "2 2.5", .marker = "M0 -3.8L3.6 2.8H-3.6z"},                         // triangle
        LineStyle{.dash = "9 3 2 3", .marker = "M0 -4L4 0L0 4L-4 0z"},                         // diamond
        LineStyle{.dash = "", .marker = "M0 3.8L3.6 -2.8H-3.6z"},                              // triangle, down
        LineStyle{.dash = "12 3", .marker = "M-3.6 -1h7.2v2h-7.2z"},                           // bar
        LineStyle{.dash = "4 2 1 2", .marker = "M-1 -3.6h2v7.2h-2z"},                          // post
        LineStyle{.dash = "1 2", .marker = "M-2 -2h4v4h-4z"},                                  // small square
        LineStyle{.dash = "14 3 3 3 3 3", .marker = "M-3 0L0 -2L3 0L0 2z"},                    // flat diamond
    };
    return kStyles;
}

}  // namespace sluice::experiments
