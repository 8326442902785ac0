/** How drawings look. Sketches are decoration and faint; words, bells and marks have the contrast of text. */
export const DRAWING_STYLE = `
.grid{margin:.5rem 0;overflow-x:auto;border:1px solid var(--line);border-radius:8px;background:var(--bg);padding:.35rem}
.grid svg{display:block}
.grid>svg{height:auto}
.grid>svg:not(.map){width:100%;min-width:52rem}
.sides .grid>svg:not(.map){min-width:30rem}
.narrow{width:fit-content;max-width:100%}
.narrow>svg:not(.map){width:44rem;min-width:0}
.map{max-width:100%}
svg text{fill:var(--ink);font-size:14px;font-weight:600}
svg .s{fill:var(--soft);font-size:11.5px;font-weight:400}
svg .w{fill:var(--ink)}
svg .c{fill:var(--ink);font-size:12px;font-weight:600;text-anchor:end}
svg .m{fill:var(--ink);font-size:12px;font-weight:700;text-anchor:end;text-decoration:underline}
.b{fill:var(--tile);stroke:var(--strong)}
.g,.a{fill:none;stroke:var(--soft);stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
.a{stroke:var(--ink)}
.k{fill:none;stroke:var(--sketch);stroke-width:1.5}
symbol path{vector-effect:non-scaling-stroke}
.k .f,symbol .f{fill:var(--sketch);stroke:none}
.arc,.wire{fill:none;stroke:var(--mark);stroke-width:1.6}
.wire{stroke-dasharray:3 4}
.tip,.dot{fill:var(--mark)}
.changed>.b{stroke:var(--warn);stroke-width:2.5;stroke-dasharray:8 4;fill:var(--warnbg)}
.added>.b{stroke:var(--good);stroke-width:3;fill:var(--goodbg)}
.removed>.b{stroke:var(--bad);stroke-width:2.5;stroke-dasharray:2 4;fill:var(--badbg)}
`;
