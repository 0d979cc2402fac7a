import { writeFileSync } from 'node:fs';

const posts = Array.from({ length: 150_000 }, (_, id) => ({
  id: id + 1,
  title: `Post ${id}`,
  author: `author-${id % 50}`,
  body: 'words '.repeat(10) + id,
}));
const comments = Array.from({ length: 2000 }, (_, id) => ({
  id: id + 1,
  postId: (id % 100) + 1,
  text: `comment ${id}`,
}));
writeFileSync('db.json', JSON.stringify({ posts, comments }));
