/** How the page looks: in light and dark, on a wide screen, on a phone and on paper. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b1f24; --quiet: #5a6472; --line: #e1e5ea;
  --good: #1a7f37; --bad: #c6263b; --warn: #9a6700; --calm: #3b5bdb;
  --lane-0: #d9480f; --lane-1: #1c6fd6; --lane-2: #2b8a3e; --lane-3: #7048e8;
  --lane-4: #c2255c; --lane-5: #0b7285; --lane-6: #8f6a00; --lane-7: #495057;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1116; --card: #171b22; --text: #e6e9ee; --quiet: #98a3b3; --line: #2a313c;
    --good: #4ac26b; --bad: #ff6b7a; --warn: #e3b341; --calm: #91a7ff;
    --lane-0: #ff8a4c; --lane-1: #5aa9ff; --lane-2: #63d47f; --lane-3: #a78bfa;
    --lane-4: #f783ac; --lane-5: #3bc9db; --lane-6: #ffd43b; --lane-7: #adb5bd;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: break-word;
}
main { max-width: 74rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
h1 { font-size: 1.35rem; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.75rem 0 .6rem; }
p { margin: .4rem 0; }
a { color: var(--calm); }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .92em; }
ul { margin: 0; padding: 0; list-style: none; }
.quiet { color: var(--quiet); font-size: .88rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: .8rem 1rem;
}
.verdict { border-left: 6px solid var(--tone); margin: .9rem 0; }
.verdict strong { color: var(--tone); font-size: 1.1rem; }
.passed { --tone: var(--good); } .failed { --tone: var(--bad); }
.incomplete { --tone: var(--warn); } .measured { --tone: var(--calm); }
.lane::before {
  content: ""; display: inline-block; width: .7em; height: .7em; border-radius: 2px;
  margin-right: .45em; background: var(--lane);
}
.lane-0 { --lane: var(--lane-0); } .lane-1 { --lane: var(--lane-1); } .lane-2 { --lane: var(--lane-2); } .lane-3 { --lane: var(--lane-3); }
.lane-4 { --lane: var(--lane-4); } .lane-5 { --lane: var(--lane-5); } .lane-6 { --lane: var(--lane-6); } .lane-7 { --lane: var(--lane-7); }
.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 10.5rem), 1fr)); }
.tiles dt { color: var(--quiet); font-size: .85rem; }
.tiles dl { margin: 0; }
.tiles dd { margin: .2rem 0 0; display: flex; justify-content: space-between; align-items: baseline; gap: .6rem; }
.tiles dd > span { overflow-wrap: anywhere; color: var(--quiet); font-size: .85rem; min-width: 0; }
.tiles dd > b { font-size: 1.2rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: .3rem 1rem; }
.charts { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 29rem), 1fr)); }
figure { margin: 0; min-width: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .7rem .6rem .5rem; }
figcaption { font-weight: 600; padding: 0 .4rem .3rem; }
figcaption .quiet { font-weight: 400; }
.chart { min-height: 210px; min-width: 0; overflow: hidden; }
.uplot { font: inherit; width: 100%; }
.u-legend { font-size: .82rem; text-align: left; margin: .3rem 0 0; padding: 0 .4rem; font-variant-numeric: tabular-nums; }
.u-legend.u-inline tr { margin-right: .9rem; }
.u-series > * { padding: 1px 2px; }
.u-legend .u-marker { width: .7em; height: .7em; border-radius: 2px; }
.u-hz .u-cursor-x { border-color: var(--quiet); }
.scroll { overflow-x: auto; padding: 0; }
table.figures { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.figures th, .figures td { padding: .38rem .9rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
.figures tr:last-child > * { border-bottom: 0; }
.figures thead th { font-weight: 600; }
.figures th:first-child { text-align: left; font-weight: 400; position: sticky; left: 0; background: var(--card); }
.judged > li { display: grid; grid-template-columns: 8.5rem 1fr; gap: .15rem .8rem; padding: .55rem 0; border-bottom: 1px solid var(--line); }
.judged > li:last-child { border-bottom: 0; }
.judged p { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.badge { font-weight: 600; white-space: nowrap; color: var(--quiet); }
.badge.good { color: var(--good); } .badge.bad { color: var(--bad); }
.facts { columns: 21rem; column-gap: 2rem; }
.facts li { break-inside: avoid; padding: .15rem 0; }
@media (max-width: 40rem) {
  body { font-size: 14px; }
  main { padding: .9rem .6rem 2rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: .5rem; }
  .tiles .card { padding: .6rem .7rem; }
  .tiles dd { display: block; }
  .tiles dd > * { display: block; }
  .figures { font-size: .93em; }
  .figures th, .figures td { padding: .34rem .5rem; }
  .figures th:first-child { white-space: normal; min-width: 7.5rem; }
  .judged > li { grid-template-columns: 1fr; }
}
@media print { .card, figure { break-inside: avoid; } }
`;
