import { DecodeFrameDocument, type StreamType } from '../../api/documents.js';
import { isOwner, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Section } from '../../components/page.js';
import { RecordValues } from '../../components/record-values.js';
import { Empty, Loading } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { formatTime, zone } from '../../format/time.js';
import { shown } from '../../format/value.js';
import { Parts } from '../products/frame-parts.js';
import type { Device } from './device-type.js';

type DeviceRecord = Device['records']['items'][number];

/**
 * The newest records of a device. A record that arrived as a frame can be chosen to show its parts (`record` in the
 * address).
 */
export function Records({ device }: { device: Device }) {
  const address = useAddress();
  const { items } = device.records;
  const open = address.get('record');
  if (items.length === 0)
    return (
      <Empty title="No record yet">
        <p>Post one with the call below.</p>
      </Empty>
    );
  // Only owners may decode frames.
  const hasFrames = isOwner.value && items.some(({ frame }) => frame !== null);
  return (
    <Section title="Records">
      <TableFrame label="Records">
        <table aria-label="Records">
          <thead>
            <tr>
              <th>Measured ({zone.value})</th>
              <th>Data</th>
              {hasFrames && <th>Frame</th>}
            </tr>
          </thead>
          <tbody>
            {items.map((record) => (
              <tr key={record.id} class={record.id === open ? 'chosen' : undefined}>
                <td>
                  <time>{formatTime(record.ts)}</time>
                </td>
                <td class="data">
                  {record.id === open && record.frame !== null ? (
                    <Frame device={device} of={record} />
                  ) : (
                    <RecordValues
                      of={record.data}
                      lookOf={(name) => device.product?.variables.find((variable) => variable.name === name)}
                    />
                  )}
                </td>
                {hasFrames && (
                  <td>
                    {record.frame !== null && (
                      <button
                        type="button"
                        aria-expanded={record.id === open}
                        onClick={() => address.set({ record: record.id === open ? '' : record.id })}
                      >
                        Explain <code>{shown(record.frame['payload'] ?? '').slice(0, 24)}</code>
                      </button>
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </Section>
  );
}

/** Shows the parts of a stored frame, as the device's product decodes it now. */
function Frame({ device: { product }, of: { frame } }: { device: Device; of: DeviceRecord }) {
  const decoded = useQuery(
    DecodeFrameDocument,
    product === null || frame === null
      ? undefined
      : {
          organizationId: organizationId.value,
          productId: product.id,
          streamId: Number(frame['streamId']),
          streamType: frame['streamType'] as StreamType,
          payload: shown(frame['payload'] ?? ''),
          encoding: 'hex',
        },
  );
  if (product === null)
    return (
      <Empty title="The device has no product">
        <p>A product says what the bytes mean: edit the device to give it one.</p>
      </Empty>
    );
  return (
    <Loading of={decoded} rows={4}>
      {({ decodeFrame }) => (
        <>
          <p class="quiet">
            Stream {shown(frame?.['streamId'])}, {shown(frame?.['streamType'])}, as {product.name} {product.version}{' '}
            reads it
          </p>
          <Parts of={decodeFrame} />
        </>
      )}
    </Loading>
  );
}
