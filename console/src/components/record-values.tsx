import { type Look, said } from '../format/look.js';

/** Number of characters of a text that a row shows unasked. */
const mostCharacters = 200;

/** Shows the values of a record in a row. Long texts are folded. */
export const RecordValues = ({
  of,
  lookOf,
}: {
  of: Readonly<Record<string, unknown>>;
  lookOf: (name: string) => Look | undefined;
}) => (
  <>
    {Object.entries(of).map(([name, value]) => (
      <div class="pair" key={name}>
        <span class="quiet">{name}</span> <Text of={said(value, lookOf(name) ?? {})} />
      </div>
    ))}
  </>
);

const Text = ({ of }: { of: string }) =>
  of.length <= mostCharacters ? (
    <>{of}</>
  ) : (
    <details>
      <summary>
        {/* By code points: half of a surrogate pair would be shown as a replacement character. */}
        {Array.from(of.slice(0, 2 * mostCharacters))
          .slice(0, mostCharacters)
          .join('')}
        … <span class="quiet">({of.length.toLocaleString()} characters)</span>
      </summary>
      {of}
    </details>
  );
