/** A web address in a text, and `[words](address)`. */
const link = /\[([^\]\n]{1,200})\]\((https?:\/\/[^\s)]{1,2000})\)|(https?:\/\/[^\s<>"')\]]{1,2000})/g;

/** Ends of paragraphs and of headings. */
const ends = /\n{2,}|(?<=^# .*)\n|\n(?=# )/m;

/** Plain text with links. A line that begins with `# ` is a heading. */
export const TextBody = ({ text }: { text: string }) => (
  <div class="text-panel panel-scroll">
    {text.split(ends).map((part, index) =>
      part.startsWith('# ') ? (
        <p key={index} class="text-heading">
          {part.slice(2)}
        </p>
      ) : (
        <p key={index}>{linked(part)}</p>
      ),
    )}
  </div>
);

const linked = (text: string) => {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(link)) {
    const [all, words, named, bare] = match;
    parts.push(text.slice(end, match.index));
    const address = named ?? bare;
    parts.push(
      <a key={match.index} href={address} target="_blank" rel="noreferrer">
        {words ?? address}
      </a>,
    );
    end = match.index + all.length;
  }
  return [...parts, text.slice(end)];
};
