import { useState } from 'preact/hooks';
import { SiteChoicesDocument } from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';
import { Failure } from '../../components/state.js';
import { inTreeOrder } from './tree.js';

/** Maximum number of sites to choose from. */
const limit = 1000;

/** A site as far as its form changes it. */
export interface FormSite {
  readonly id: string;
  readonly name: string;
  readonly kind: string | null;
  readonly timeZone: string | null;
  readonly parent: { readonly id: string; readonly name: string } | null;
}

/** The fields of a site's form. `parent` is the site that a new one is below at first. */
export const SiteFields = ({
  site,
  parent = site?.parent ?? null,
}: {
  site?: FormSite;
  parent?: FormSite['parent'];
}) => (
  <>
    <Field label="Name">
      <input name="name" required maxLength={200} autocomplete="off" defaultValue={site?.name ?? ''} />
    </Field>
    <Field label="Kind" hint="Such as building, floor or room.">
      <input name="kind" maxLength={64} autocomplete="off" defaultValue={site?.kind ?? ''} />
    </Field>
    <ParentField site={site} parent={parent} />
    <Field label="Time zone" hint="Its days begin at midnight there.">
      <select name="timeZone">
        <option value="">As the site above, or the organization</option>
        {zonesWith(site?.timeZone).map((name) => (
          <option key={name} value={name} selected={name === site?.timeZone}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  </>
);

const zonesWith = (own: string | null | undefined): string[] => [
  ...new Set([...(own == null ? [] : [own]), 'UTC', ...Intl.supportedValuesOf('timeZone')]),
];

/** A field for the site above, which is neither the site itself nor one below it. */
function ParentField({ site, parent }: { site: FormSite | undefined; parent: FormSite['parent'] }) {
  const [chosen, choose] = useState(parent?.id ?? '');
  const { data, error, reload } = useQuery(SiteChoicesDocument, { organizationId: organizationId.value, limit });
  const found = inTreeOrder(
    data?.sites.items.filter(({ path }) => site === undefined || !path.includes(site.id)) ?? [],
  );
  const isMissing = parent !== null && !found.some(({ site: { id } }) => id === parent.id);
  const total = data?.sites.totalCount ?? 0;
  return (
    <>
      <Field
        label="Below"
        {...(total > limit && { hint: `The oldest ${limit.toLocaleString()} of ${total.toLocaleString()} sites.` })}
      >
        <select name="parentId" value={chosen} onChange={({ currentTarget: { value } }) => choose(value)}>
          <option value="">No site: at the top</option>
          {isMissing && <option value={parent.id}>{parent.name}</option>}
          {found.map(({ site: { id, name }, level }) => (
            <option key={id} value={id}>
              {'\u2003'.repeat(level) + name}
            </option>
          ))}
        </select>
      </Field>
      {error && <Failure error={error} retry={reload} />}
    </>
  );
}

/** Returns the values of a site's form. */
export const siteOf = (form: FormData) => ({
  name: textOf(form, 'name'),
  kind: textOf(form, 'kind') || null,
  parentId: textOf(form, 'parentId') || null,
  timeZone: textOf(form, 'timeZone') || null,
});
