#[system(simd = off, pipeline = off)]
pub fn movement(position: &mut Position) {
    position.x += 1.0;
}
