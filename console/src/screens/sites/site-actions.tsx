import { useLocation } from 'preact-iso';
import {
  DeleteSiteDocument,
  MoveDevicesDocument,
  type SiteContents,
  type SiteQuery,
  UpdateSiteDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { textOf } from '../../browser/form.js';
import { toast } from '../../browser/toast.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { Danger, DangerZone, Edit } from '../../components/edit-and-delete.js';
import { counted } from '../../format/value.js';
import { SiteFields, siteOf } from './site-fields.js';

type Site = NonNullable<SiteQuery['site']>;

const namesOf = ({ id }: Site) => ({ organizationId: organizationId.value, siteId: id });

/** Edits a site, or moves it with all below it. */
export const EditSite = ({ site, reload }: { site: Site; reload: () => void }) => (
  <Edit
    of="site"
    fields={<SiteFields site={site} />}
    save={(form) => ask(UpdateSiteDocument, { ...namesOf(site), ...siteOf(form) })}
    reload={reload}
  />
);

/** Moves devices to the site by their serials. */
export const MoveDevicesHere = ({ site, reload }: { site: Site; reload: () => void }) => (
  <Action
    label="Move devices here"
    action="Move"
    submit={async (form) => {
      const serials = serialsIn(textOf(form, 'serials'));
      const { moveDevices } = await ask(MoveDevicesDocument, { ...namesOf(site), serials });
      toast(`${counted(moveDevices.changed, 'device')} moved here.`);
      reload();
    }}
  >
    <Field
      label="Serials"
      hint="One a line, or separated by commas; at most 1,000. Their records count here from now on."
    >
      <textarea name="serials" rows={6} required spellcheck={false} />
    </Field>
  </Action>
);

/** Returns the serials in a text, each once. */
const serialsIn = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,;]+/)
      .filter((serial) => serial !== ''),
  ),
];

/** Deletes a site. The dialog asks what becomes of what is in it. */
export function DeleteSite({ site }: { site: Site }) {
  const { route } = useLocation();
  const { parent } = site;
  const isEmpty = site.children.totalCount === 0 && site.devices.totalCount === 0;
  const up = parent?.name ?? 'no site';
  const consequence =
    parent === null
      ? 'The times that devices were at this site are deleted with it.'
      : `The times that devices were at this site count for ${parent.name} from then on.`;
  return (
    <DangerZone>
      <Danger says={consequence}>
        <Action
          label="Delete"
          title="Delete the site"
          danger
          done="The site was deleted."
          submit={async (form) => {
            const contents = (textOf(form, 'contents') || 'refuse') as SiteContents;
            await ask(DeleteSiteDocument, { ...namesOf(site), contents });
            route(parent === null ? '/console/sites' : `/console/sites/${parent.id}`);
          }}
        >
          <p>{consequence}</p>
          {!isEmpty && (
            <Field label="What is in it">
              <select name="contents">
                <option value="moveUp">
                  Move sites to {parent?.name ?? 'the top'}, devices to {up}
                </option>
                <option value="deleteSites">Delete all sites below, move devices to {up}</option>
              </select>
            </Field>
          )}
        </Action>
      </Danger>
    </DangerZone>
  );
}
