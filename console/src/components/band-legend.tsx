import { type Band, bandStyles, severitiesOf } from './bands.js';

/** Legend of the bands in a chart: a sample, the severity and the number of bands. */
export const BandLegend = ({ bands }: { bands: readonly Band[] }) => (
  <>
    {severitiesOf(bands).map((severity) => {
      const { color, hatch } = bandStyles[severity];
      const count = bands.filter((band) => band.severity === severity).length;
      return (
        <li key={severity}>
          <svg width="24" height="12" aria-hidden="true" style={{ color: `var(${color})` }}>
            <rect width="24" height="12" fill="currentColor" opacity="0.1" />
            {hatch > 0 &&
              Array.from({ length: 36 / hatch }, (_, index) => (
                <line
                  key={index}
                  x1={index * hatch - 12}
                  y1="12"
                  x2={index * hatch}
                  y2="0"
                  stroke="currentColor"
                  opacity="0.6"
                />
              ))}
            <rect width="24" height="3" fill="currentColor" />
          </svg>
          {severity} alert open
          {count > 1 ? ` (${count.toLocaleString()} times)` : ''}
        </li>
      );
    })}
  </>
);
