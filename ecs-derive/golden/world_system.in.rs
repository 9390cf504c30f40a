#[system]
fn census<T: Component>(all: Query<&T>, mut total: ResMut<Total>) -> Result {
    total.0 = all.count();
    Ok(())
}
