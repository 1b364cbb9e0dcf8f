import { useLocation } from 'preact-iso';
import { CreateProductDocument, ProductsDocument, type ProductsQuery } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Action } from '../../components/action.js';
import { Badge } from '../../components/badge.js';
import { useListView } from '../../components/list-view.js';
import { NameFilter } from '../../components/name-filter.js';
import { Page } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { ProductFields, productOf } from './product-fields.js';

type Product = NonNullable<ProductsQuery['products']>['items'][number];

const limit = 25;

const columns: readonly Column<Product>[] = [
  { title: 'Product', sort: 'name', cell: ({ id, name }) => <a href={`/console/products/${id}`}>{name}</a> },
  { title: 'Version', sort: 'version', cell: ({ version }) => version },
  { title: 'Variables', cell: ({ variables }) => variables.map(({ name }) => name).join(', ') },
  { title: 'Devices', number: true, cell: ({ deviceCount }) => deviceCount.toLocaleString() },
  { title: 'Published', cell: (product) => <Published {...product} /> },
];

/** Shows whether other organizations may use a product. The operator of the service publishes products. */
export const Published = ({ public: isPublic }: { public: boolean }) =>
  isPublic ? <Badge tone="good">published</Badge> : <Badge tone="quiet">not published</Badge>;

/** The list of the organization's products. */
export function ProductsScreen() {
  const address = useAddress();
  const { route } = useLocation();
  const view = useListView('products', columns);
  const products = useQuery(ProductsDocument, {
    organizationId: organizationId.value,
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || 'name',
    q: address.get('q') || null,
  });
  const make = async (form: FormData) => {
    const product = { organizationId: organizationId.value, ...productOf(form) };
    const { createProduct } = await ask(CreateProductDocument, product);
    route(`/console/products/${createProduct.id}`);
  };
  return (
    <Page
      title="Products"
      actions={
        mayOwn.value && (
          <Action label="Create a product" action="Create" primary submit={make}>
            <ProductFields />
          </Action>
        )
      }
    >
      <div class="filters">
        <NameFilter address={address} />
        {view.menus}
      </div>
      <Loading of={products} rows={limit}>
        {({ products: { items, totalCount } }) => (
          <>
            {items.length === 0 ? (
              <Empty title={address.get('q') ? 'No product matches' : 'No product yet'}>
                <p>A product says which variables its devices send, and how their frames are read.</p>
              </Empty>
            ) : (
              <Table label="Products" columns={view.columns} rows={items} address={address} busy={products.loading} />
            )}
            <Pager address={address} limit={limit} total={totalCount} />
          </>
        )}
      </Loading>
    </Page>
  );
}
