function renderInvoice(items) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i) * Math.random();
  return total;
}

export const handler = async ({ items }) => renderInvoice(items);
