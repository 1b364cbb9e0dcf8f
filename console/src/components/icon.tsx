/** Outlines of the icons, on a grid of 16 by 16. */
const outlines = {
  mark: 'M2 11.5 5.5 6l3 4L14 3M2 14h12',
  overview: 'M2.5 2.5h4.5v5H2.5zM9 2.5h4.5v3H9zM9 8h4.5v5.5H9zM2.5 10h4.5v3.5H2.5z',
  dashboards: 'M2 3h12v10H2zM2 6.5h12M4.5 11V9M7 11V8.5M9.5 11V9.5M12 11V8',
  devices: 'M4 4h8v8H4zM6.5 1.5V4M9.5 1.5V4M6.5 12v2.5M9.5 12v2.5M1.5 6.5H4M1.5 9.5H4M12 6.5h2.5M12 9.5h2.5',
  alerts: 'M8 2a4 4 0 0 1 4 4c0 4 1.5 5 1.5 5h-11S4 10 4 6a4 4 0 0 1 4-4zM6.5 13.5a1.6 1.6 0 0 0 3 0',
  live: 'M1.5 8h3l2-5 3 10 2-5h3',
  explore: 'M2.5 2v11.5H14M5 10l2.5-3.5 2.5 2L13.5 4',
  products: 'M8 1.5 13.5 4.5v7L8 14.5 2.5 11.5v-7zM2.5 4.5 8 7.5l5.5-3M8 7.5v7',
  hooks: 'M6.5 9.5 9.5 6.5M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13a3 3 0 0 1-4.5-4.5L4.5 7',
  sites: 'M2.5 14V2.5h6V14M8.5 6h5v8M1.5 14h13M5 5.5h1M5 8.5h1M5 11.5h1M11 9h.5M11 11.5h.5',
  applications: 'M2 4.5h12M2 8h12M2 11.5h12M5 3v3M10.5 6.5v3M6.5 10v3',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5a4.5 4.5 0 0 1 9 0M10.5 2.7a2.5 2.5 0 0 1 0 4.6M12 9.7a4.5 4.5 0 0 1 2.5 3.8',
  jobs: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
  usage: 'M2.5 13.5v-4M6.2 13.5V6M9.8 13.5V8M13.5 13.5V2.5',
  'network-servers':
    'M8 8.5V14M5.5 14h5M5.5 8.5a3.5 3.5 0 0 1 0-5M10.5 3.5a3.5 3.5 0 0 1 0 5M3.2 10.5a6.5 6.5 0 0 1 0-9M12.8 1.5a6.5 6.5 0 0 1 0 9M8 6h.01',
  tokens: 'M10 9a3.5 3.5 0 1 0-3.3-2.3L2 11.5V14h2.5v-1.5H6V11h1.5l1.2-1.2A3.5 3.5 0 0 0 10 9zM11 5h.01',
  other: 'M3.5 2h6l3 3v9h-9zM5.5 8h5M5.5 11h5',
  menu: 'M2 4h12M2 8h12M2 12h12',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.8 10.8 14 14',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  grip: 'M6 3.5h.01M10 3.5h.01M6 8h.01M10 8h.01M6 12.5h.01M10 12.5h.01',
  pencil: 'M3 13l.7-3L10.5 3.2a1.5 1.5 0 0 1 2.2 2.2L6 12.3z',
  bin: 'M2.5 4.5h11M6 4.5V3h4v1.5M4 4.5l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4',
  done: 'M3 8.5 6.5 12 13 4.5',
} as const;

/** Names of the icons. */
export type IconName = keyof typeof outlines;

/** An icon beside a text. Screen readers leave it out. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={outlines[name]} />
  </svg>
);

/** Whether there is an icon of this name. */
export const isIcon = (name: string): name is IconName => Object.hasOwn(outlines, name);
