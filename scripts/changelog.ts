const unreleased = '## Unreleased\n';

/**
 * Moves the entries under "Unreleased" to a section for a version and its date (UTC). Returns a fault when there is
 * nothing to move.
 */
export function releasedChangelog(text: string, version: string, at: Date): { text: string } | { fault: string } {
  const begin = text.indexOf(unreleased);
  if (begin < 0) return { fault: 'CHANGELOG.md has no "## Unreleased".' };
  if (new RegExp(`^## ${version.replaceAll('.', String.raw`\.`)}\\b`, 'm').test(text))
    return { fault: `CHANGELOG.md has ${version} already.` };
  const end = begin + unreleased.length;
  const [changes = ''] = text.slice(end).split(/^## /m);
  if (changes.trim() === '') return { fault: 'Nothing is under "Unreleased" in CHANGELOG.md.' };
  const heading = `\n## ${version} - ${at.toISOString().slice(0, 10)}\n`;
  return { text: `${text.slice(0, end)}${heading}${text.slice(end)}` };
}
