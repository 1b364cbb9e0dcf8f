import { useRoute } from 'preact-iso';
import {
  DeleteProductDocument,
  ProductDocument,
  type ProductQuery,
  UpdateProductDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { isOwner, mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { EditAndDelete } from '../../components/edit-and-delete.js';
import { Facts, Page, Section } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { History } from '../audit/history.js';
import { DecodeTester } from './decode-tester.js';
import { mappingsText, ProductFields, productOf } from './product-fields.js';
import { Published } from './products.js';
import { Provisioning } from './provisioning.js';
import { Redecode } from './redecode.js';

type Product = NonNullable<ProductQuery['product']>;

/** The screen of one product: its variables, a tester for its frames, and redecoding of stored frames. */
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
      title={found === undefined ? 'Product' : `${found.name} ${found.version}`}
      actions={found !== undefined && mayOwn.value && <Changes product={found} reload={product.reload} />}
    >
      <Loading of={product} rows={16}>
        {({ product: shown, provisioningTokens }) => (
          <>
            <Facts
              of={[
                ['Published', <Published {...shown} />],
                ['Devices', <a href={`/console/devices?product=${shown.id}`}>{shown.deviceCount.toLocaleString()}</a>],
                ['Applications', shown.applications.items.map(({ name }) => name).join(', ')],
                ['Created', formatTime(secondsOf(shown.createdAt))],
                ['Changed', formatTime(secondsOf(shown.updatedAt))],
              ]}
            />
            <Variables of={shown} />
            {provisioningTokens && (
              <Provisioning productId={shown.id} tokens={provisioningTokens.items} reload={product.reload} />
            )}
            <DecodeTester productId={shown.id} />
            {mayOwn.value && <Redecode productId={shown.id} />}
            <History of={shown.id} />
          </>
        )}
      </Loading>
    </Page>
  );
}

const Changes = ({ product, reload }: { product: Product; reload: () => void }) => {
  const names = { organizationId: organizationId.value, productId: product.id };
  return (
    <EditAndDelete
      of="product"
      list="/console/products"
      fields={<ProductFields product={product} />}
      consequence="A product that devices still use is not deleted: give them another one first."
      save={(form) => ask(UpdateProductDocument, { ...names, ...productOf(form) })}
      remove={() => ask(DeleteProductDocument, names)}
      reload={reload}
    />
  );
};

const Variables = ({ of: { variables } }: { of: Product }) => (
  <Section title="Variables">
    {variables.length === 0 ? (
      <Empty title="No variable">
        <p>Edit the product to say what its devices send.</p>
      </Empty>
    ) : (
      <div class="table-frame">
        <table aria-label="Variables">
          <thead>
            <tr>
              <th>Variable</th>
              <th>Type</th>
              <th>Unit</th>
              <th>Mappings (stream, layout, number)</th>
            </tr>
          </thead>
          <tbody>
            {variables.map(({ name, type, unit, mappings }) => (
              <tr key={name}>
                <td>{name}</td>
                <td>{type}</td>
                <td>{unit}</td>
                <td>
                  <code>{mappingsText(mappings)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </Section>
);
