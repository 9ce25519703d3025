"""What a request brings: who asks, the body's shape, and which table it may know of."""
