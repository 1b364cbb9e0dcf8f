import { DecodeFrameDocument, type StreamType } from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';
import { Section } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { Parts } from './frame-parts.js';
import { mappingsText } from './product-fields.js';

const layouts = { BIN: 'BIN (tagged)', RAW: 'RAW (by position)', TXT: 'TXT (fields)' } as const;
const encodings = ['hex', 'base64', 'utf8'];

/** Decodes a frame as the product would, without storing it. The frame is in the address, so that it can be shared. */
export function DecodeTester({ productId }: { productId: string }) {
  const address = useAddress();
  const payload = address.get('frame');
  const streamType = (address.get('layout') || 'BIN') as StreamType;
  const encoding = address.get('encoding') || 'hex';
  const streamId = Number(address.get('stream') || '2');
  const decoded = useQuery(
    DecodeFrameDocument,
    payload === ''
      ? undefined
      : { organizationId: organizationId.value, productId, streamId, streamType, payload, encoding },
  );
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    address.set(
      Object.fromEntries(['frame', 'layout', 'encoding', 'stream'].map((name) => [name, textOf(form, name)])),
    );
  };
  return (
    <Section title="Decode a frame">
      <form class="inline" onSubmit={onSubmit}>
        <Field label="Frame">
          <input
            class="wide"
            name="frame"
            required
            spellcheck={false}
            placeholder="0441ac0000"
            defaultValue={payload}
          />
        </Field>
        <Field label="Written as">
          <select name="encoding">
            {encodings.map((one) => (
              <option key={one} selected={one === encoding}>
                {one}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Stream">
          <input name="stream" type="number" min={0} max={255} required defaultValue={`${streamId}`} />
        </Field>
        <Field label="Layout">
          <select name="layout">
            {Object.entries(layouts).map(([value, name]) => (
              <option key={value} value={value} selected={value === streamType}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <button type="submit" class="primary">
          Decode
        </button>
      </form>
      {payload === '' ? (
        <Empty title="No frame yet">
          <p>Paste the bytes that a device sends: each part is shown with its offset, variable and value.</p>
        </Empty>
      ) : (
        <Loading of={decoded} rows={4}>
          {({ decodeFrame }) => (
            <>
              <Parts of={decodeFrame} />
              {decodeFrame.unusedMappings.length > 0 && (
                <p role="note">
                  No frame can name these mappings, so they never decode:{' '}
                  {decodeFrame.unusedMappings
                    .map(({ variable, ...mapping }) => `${variable} (${mappingsText([mapping])})`)
                    .join(', ')}
                  . Frames name streams 0 to 255, and variables 1 to 32 in BIN.
                </p>
              )}
            </>
          )}
        </Loading>
      )}
    </Section>
  );
}
