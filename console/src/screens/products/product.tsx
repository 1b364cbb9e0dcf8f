import { Fragment } from 'preact';
import { useRoute } from 'preact-iso';
import { DeleteProductDocument, ProductDocument, UpdateProductDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { isOwner, mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { CopyText } from '../../components/copy.js';
import { DangerZone, Delete, Edit } from '../../components/edit-and-delete.js';
import { Facts, Page, Section } from '../../components/page.js';
import { Empty, headingWithout, Loading } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { History } from '../audit/history.js';
import { DeclaredCommands } from './declared-commands.js';
import { DecodeTester } from './decode-tester.js';
import { Derived } from './derived.js';
import { mappingsText, ProductFields, productOf } from './product-fields.js';
import { Published } from './products.js';
import { Provisioning } from './provisioning.js';
import { Redecode } from './redecode.js';
import { type Product, settingsOf, settingsText } from './settings.js';
import { EditSettings } from './variable-settings.js';

/** The screen of one product: its variables and formulas, a tester for its frames, and redecoding of stored frames. */
export function ProductScreen() {
  const { params } = useRoute();
  const productId = params['productId'] ?? '';
  const product = useQuery(ProductDocument, {
    organizationId: organizationId.value,
    productId,
    owns: isOwner.value,
  });
  const found = product.data?.product;
  return (
    <Page
      title={found === undefined ? headingWithout(product, 'Product') : `${found.name} ${found.version}`}
      actions={found !== undefined && mayOwn.value && <EditProduct product={found} reload={product.reload} />}
    >
      <Loading of={product} rows={16}>
        {({ product: shown, provisioningTokens }) => (
          <>
            <Facts
              of={[
                ['Published', <Published {...shown} />],
                ['Devices', <a href={`/console/devices?product=${shown.id}`}>{shown.deviceCount.toLocaleString()}</a>],
                [
                  'Applications',
                  shown.applications.items.map(({ id, name }) => (
                    <Fragment key={id}>
                      <a href={`/console/applications/${id}`}>{name}</a>{' '}
                    </Fragment>
                  )),
                ],
                ['Identifier', <CopyText text={shown.id} what="the identifier" />],
                ['Created', formatTime(secondsOf(shown.createdAt))],
                ['Changed', formatTime(secondsOf(shown.updatedAt))],
              ]}
            />
            <Variables of={shown} reload={product.reload} />
            <Derived product={shown} reload={product.reload} />
            <DeclaredCommands product={shown} reload={product.reload} />
            {provisioningTokens && (
              <Provisioning productId={shown.id} tokens={provisioningTokens.items} reload={product.reload} />
            )}
            <DecodeTester productId={shown.id} />
            {mayOwn.value && <Redecode productId={shown.id} />}
            <History of={shown.id} />
            {mayOwn.value && (
              <DangerZone>
                <Delete
                  of="product"
                  list="/console/products"
                  consequence="A product that devices use cannot be deleted. Give these devices another product first."
                  remove={() =>
                    ask(DeleteProductDocument, { organizationId: organizationId.value, productId: shown.id })
                  }
                />
              </DangerZone>
            )}
          </>
        )}
      </Loading>
    </Page>
  );
}

const EditProduct = ({ product, reload }: { product: Product; reload: () => void }) => (
  <Edit
    of="product"
    fields={<ProductFields product={product} />}
    save={(form) =>
      ask(UpdateProductDocument, {
        organizationId: organizationId.value,
        productId: product.id,
        ...productOf(form),
      })
    }
    reload={reload}
  />
);

const Variables = ({ of: product, reload }: { of: Product; reload: () => void }) => (
  <Section title="Variables">
    {product.variables.length === 0 ? (
      <Empty title="No variable">
        <p>Edit the product to say what its devices send.</p>
      </Empty>
    ) : (
      <TableFrame label="Variables">
        <table aria-label="Variables">
          <thead>
            <tr>
              <th>Variable</th>
              <th>Type</th>
              <th>Unit</th>
              <th>Mappings (stream, layout, number)</th>
              <th>Settings</th>
              {mayOwn.value && <th class="number">Change</th>}
            </tr>
          </thead>
          <tbody>
            {product.variables.map(({ name, type, unit, mappings }) => (
              <tr key={name}>
                <td>{name}</td>
                <td>{type}</td>
                <td>{unit}</td>
                <td>
                  <code>{mappingsText(mappings)}</code>
                </td>
                <td>{settingsText(settingsOf(product, name))}</td>
                {mayOwn.value && (
                  <td class="number">
                    <EditSettings product={product} variable={{ name, type }} reload={reload} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    )}
  </Section>
);
