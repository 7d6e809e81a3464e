/**
 * What the page's script needs of a browser and of uPlot. Spelled out here, because this project is
 * compiled for Node, where none of it exists.
 */
interface Browser {
  document: {
    documentElement: Place;
    getElementById(id: string): Place | null;
    querySelectorAll(selector: string): Iterable<Place>;
  };
  getComputedStyle(element: Place): { getPropertyValue(name: string): string };
  matchMedia(query: string): { addEventListener(event: 'change', listener: () => void): void };
  ResizeObserver: new (listener: () => void) => { observe(element: Place): void };
}

interface Place {
  dataset: Record<string, string | undefined>;
  textContent: string | null;
  clientWidth: number;
  checked?: boolean;
  addEventListener(event: string, listener: () => void): void;
}

interface Chart {
  destroy(): void;
  setSize(size: { width: number; height: number }): void;
}

type Column = (number | null | undefined)[];

interface ChartLibrary {
  new (options: object, data: Column[], place: Place): Chart;
  join(tables: Column[][]): Column[];
}

/**
 * Draws all charts of the page. It is sent to the browser as its own source text: it may use
 * nothing from outside itself.
 */
export function drawCharts(window: Browser, uPlot: ChartLibrary): void {
  const { document } = window;
  const data = JSON.parse(document.getElementById('data')?.textContent ?? '{}') as {
    runs: { lanes: { name: string; tMs: number[]; values: Record<string, Column> }[] }[];
  };
  const logarithmic = document.getElementById('logarithmic');
  const charts = new Map<Place, Chart>();
  const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  const fraction = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
  const numeral = (value: number) => (value < 100 ? fraction : whole).format(value);
  // What is counted has no half.
  const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((power) =>
    [1, 2, 5].map((digit) => digit * 10 ** power),
  );
  const powers = (most: number) => [0, ...steps.filter((s, i) => i % 3 === 0 && s <= most)];
  // Without the legend, which comes below.
  const size = (place: Place) => ({ width: place.clientWidth, height: 210 });

  function draw(place: Place): void {
    const { run, series = '', unit = '', style } = place.dataset;
    const suffix = unit === '' || unit.startsWith('/') ? unit : ` ${unit}`;
    const lanes = data.runs[Number(run)]?.lanes ?? [];
    const theme = window.getComputedStyle(document.documentElement);
    const color = (name: string) => theme.getPropertyValue(`--${name}`).trim();
    const font = '12px system-ui, sans-serif';
    const shown = (value: number | null | undefined) =>
      value === null || value === undefined ? '–' : numeral(value) + suffix;
    const axis = {
      stroke: color('quiet'),
      font,
      grid: { stroke: color('line'), width: 1 },
      ticks: { show: false },
    };
    const points = style === 'points';
    const isLogarithmic = logarithmic?.checked === true;
    charts.get(place)?.destroy();
    charts.set(
      place,
      new uPlot(
        {
          ...size(place),
          // Figures of one moment, in all charts of a run at once.
          cursor: {
            sync: { key: `run-${run}` },
            drag: { x: false, y: false },
            y: false,
            // Where nothing was measured at that moment: points show their nearest neighbour.
            hover: { skip: points ? [null, undefined] : [undefined] },
          },
          legend: {
            markers: {
              width: 0,
              fill: (_: unknown, i: number) => (i > 0 ? color(`lane-${(i - 1) % 8}`) : ''),
            },
          },
          scales: {
            x: { time: false },
            y: {
              // Logarithmic far from 0, and 0 has a place all the same.
              ...(isLogarithmic ? { distr: 4, asinh: 1 } : {}),
              range: (_: unknown, __: number, most: number) => [0, most > 0 ? most * 1.08 : 1],
            },
          },
          axes: [
            {
              ...axis,
              size: 28,
              values: (_: unknown, splits: number[]) => splits.map((s) => `${numeral(s)} s`),
            },
            {
              ...axis,
              size: 60,
              ...(isLogarithmic
                ? { splits: (_: unknown, __: number, ___: number, most: number) => powers(most) }
                : points
                  ? {}
                  : { incrs: steps }),
              values: (_: unknown, splits: (number | null)[]) =>
                splits.map((s) => (s === null ? '' : numeral(s))),
            },
          ],
          series: [
            {
              label: 'time',
              value: (_: unknown, s: number | null) => (s === null ? '–' : `${s.toFixed(1)} s`),
            },
            ...lanes.map((lane, i) => ({
              label: lane.name,
              stroke: color(`lane-${i % 8}`),
              width: points ? 1 : 2,
              // More lanes than colours: dashes tell them apart.
              ...(i >= 8 ? { dash: [6, 4] } : {}),
              points: { show: points, size: 4, fill: color(`lane-${i % 8}`) },
              value: (_: unknown, value: number | null | undefined) => shown(value),
            })),
          ],
        },
        uPlot.join(lanes.map((lane) => [lane.tMs.map((t) => t / 1000), lane.values[series] ?? []])),
        place,
      ),
    );
  }

  const places = [...document.querySelectorAll('.chart')];
  const drawAll = () => {
    for (const place of places) draw(place);
  };
  drawAll();
  const resized = new window.ResizeObserver(() => {
    for (const [place, chart] of charts) chart.setSize(size(place));
  });
  for (const place of places) resized.observe(place);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  logarithmic?.addEventListener('change', drawAll);
}
