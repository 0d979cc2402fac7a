import { connection } from 'next/server';

function Invoice({ items }) {
  let total = 0;
  for (let i = 0; i < items; i++) total += Math.sqrt(i);
  return <p>{total}</p>;
}

export default async function Page() {
  // Rendered for each request, not in the build.
  await connection();
  return <Invoice items={600_000_000} />;
}
