export default { files: ['tests/*.test.mjs'], concurrency: 2 };
