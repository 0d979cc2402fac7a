// A third-party validator that collects the issues of every value.
export const string = () => ({ check: (value) => (typeof value === 'string' ? [] : ['expected a string']) });

export const array = (item) => ({
  check: (values) => values.flatMap((value, index) => item.check(value).map((issue) => `${index}: ${issue}`)),
});

export const object = (shape) => ({
  check: (value) =>
    Object.entries(shape).flatMap(([key, schema]) => schema.check(value[key]).map((issue) => `${key}.${issue}`)),
});
