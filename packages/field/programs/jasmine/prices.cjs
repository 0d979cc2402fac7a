const rates = Array.from({ length: 2000 }, (_, id) => ({ id, rate: 1 + (id % 9) / 100 }));

exports.priceAll = function priceAll(count) {
  let total = 0;
  for (let order = 0; order < count; order++) {
    total += order * rates.find(({ id }) => id === order % 2000).rate;
    for (const { rate } of rates) total = (total * rate) % 1e9;
  }
  return Math.round(total);
};
